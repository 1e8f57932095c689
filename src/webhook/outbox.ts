import type { Connection, Row } from '../db/database.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { type SqlValue, sql } from '../db/sql.ts';
import { type Context, type Site, timestamp } from '../document/context.ts';
import { nowMillis } from '../kernel/clock.ts';
import { OUTBOX } from './outbox-statements.ts';
import { promoteSoon } from './promote-followers.ts';

/** A delivery about to be stored, in the transaction of the document's change. */
export interface DeliveryDraft {
  readonly webhook: string;
  readonly event: string;
  readonly doctypeName: string;
  readonly docName: string;
  readonly method: string;
  readonly url: string;
  /** JSON text; values that may be credentials are masked. */
  readonly headers: string;
  readonly body: string;
  /** Why it is not sent: the delivery is exhausted from the start. Null for a normal one. */
  readonly failure: string | null;
  /** With a failure: it is cancelled, and can be sent all the same when somebody asks for it. */
  readonly isCancelled?: boolean;
  /** Milliseconds until the first attempt; none when absent. */
  readonly delay?: number;
  /** How many deliveries led to this one; none when absent. */
  readonly chainDepth?: number;
  /** Somebody asked for it, to try the webhook. */
  readonly isTest?: boolean;
  /** The delivery that this one sends again: the receiver sees its name and its number. */
  readonly manualOf?: { readonly name: string; readonly seq: number };
  /** It waits for no other delivery about the same document. */
  readonly unordered?: boolean;
  /** It takes the place of those that wait for another delivery about the same document. */
  readonly supersedes?: boolean;
}

/** Drafts per statement where there are many. */
const CHUNK = 200;

/**
 * Stores deliveries, in this order. One that follows an undelivered one of the same webhook and document is parked behind it.
 * Resolves to their names.
 */
export async function stageDeliveries(ctx: Context, drafts: readonly DeliveryDraft[]): Promise<string[]> {
  const newer = drafts.filter(({ supersedes, failure }) => supersedes && failure === null);
  if (newer.length > 0) await supersedeDeliveries(ctx, newer, 'a newer change is sent in its place');
  const rows = drafts.map((draft) => toRow(ctx, draft));
  if (ctx.db.dialect.name === 'sqlite') await insertOnSqlite(ctx, rows);
  else {
    const parked = await insertOnPostgres(ctx.db, rows);
    if (parked.length > 0) ctx.afterCommit(() => promoteSoon(ctx.site.database, parked));
  }
  return rows.map(({ name }) => name);
}

type DraftRow = Readonly<Record<string, SqlValue>> & { readonly name: string };

function toRow(ctx: Context, draft: DeliveryDraft): DraftRow {
  const created = timestamp(ctx.site);
  const name = newDeliveryName(ctx.site);
  const key = orderKey(draft.doctypeName, draft.docName);
  return {
    name,
    webhook: draft.webhook,
    event: draft.event,
    reference_doctype: draft.doctypeName,
    reference_document: draft.docName,
    user: ctx.user.name,
    order_key: draft.unordered ? `${key}\u001f${name}` : key,
    failure: draft.failure,
    state: draft.failure === null ? null : draft.isCancelled ? 4 : 3,
    delay: draft.delay ?? 0,
    creation: created,
    seq: draft.manualOf?.seq ?? null,
    manual_of: draft.manualOf?.name ?? null,
    origin: originOf(draft.url),
    chain_depth: draft.chainDepth ?? 0,
    is_test: draft.isTest ? 1 : 0,
    method: draft.method,
    url: draft.url,
    headers: draft.headers,
    body: draft.body,
  };
}

async function insertOnSqlite(ctx: Context, rows: readonly DraftRow[]): Promise<void> {
  const now = nowMillis(ctx.site.clock);
  for (const row of rows) {
    const { webhook, order_key: key, failure, creation } = row;
    const state = row['state'];
    const done = state === null ? null : now;
    await ctx.db.run({
      text: OUTBOX.sqliteDelivery,
      // In the order of the statement's columns.
      values: [
        row.name,
        webhook,
        row['event'],
        row['reference_doctype'],
        row['reference_document'],
        row['user'],
        key,
        state,
        webhook,
        key,
        now + Number(row['delay']),
        failure,
        creation,
        creation,
        done,
        row['seq'],
        row['manual_of'],
        row['origin'],
        row['chain_depth'],
        row['is_test'],
      ] as SqlValue[],
    });
    await ctx.db.run({
      text: OUTBOX.sqliteBody,
      values: [row['method'], row['url'], row['headers'], row['body']] as SqlValue[],
    });
  }
}

// A statement does not see its own rows, so those about the same document go one after another. Resolves to those that are parked.
async function insertOnPostgres(connection: Connection, rows: readonly DraftRow[]): Promise<Row[]> {
  const parked: Row[] = [];
  let chunk: DraftRow[] = [];
  const keys = new Set<string>();
  const insert = async () => {
    if (chunk.length === 0) return;
    parked.push(...(await connection.all({ text: OUTBOX.postgres, values: [JSON.stringify(chunk)] })));
    chunk = [];
    keys.clear();
  };
  for (const row of rows) {
    const key = `${row['webhook']}\u001f${row['order_key']}`;
    if (chunk.length === CHUNK || keys.has(key)) await insert();
    chunk.push(row);
    keys.add(key);
  }
  await insert();
  return parked;
}

const origins = new Map<string, string | null>();

/** Scheme, host and port of an address; null when it has none. Addresses come again and again. */
export function originOf(url: string): string | null {
  let origin = origins.get(url);
  if (origin === undefined) {
    origin = URL.canParse(url) ? new URL(url).origin : null;
    if (origins.size >= 1_000) origins.clear();
    origins.set(url, origin);
  }
  return origin;
}

function orderKey(doctypeName: string, docName: string): string {
  return `${doctypeName}\u001f${docName}`;
}

// Begins with the time, so that the index on names grows at its end.
function newDeliveryName(site: Site): string {
  return `${NAME}${site.clock.micros().toString(32).padStart(TIME_DIGITS, '0')}${site.random.hash(10)}`;
}

const NAME = 'dlv_';
const TIME_DIGITS = 11;

/** When the delivery of this name was stored, by the clock of then; milliseconds, 0 for a name of another kind. */
export function deliveryMillis(name: string): number {
  const micros = Number.parseInt(name.slice(NAME.length, NAME.length + TIME_DIGITS), 32);
  return name.startsWith(NAME) && micros > 0 ? Math.floor(micros / 1000) : 0;
}

/** Newer ones take the place of those that wait for their turn, or for a moment to come. */
export async function supersedeDeliveries(
  ctx: Context,
  drafts: readonly DeliveryDraft[],
  why: string,
): Promise<void> {
  const now = sharedMillis(ctx.db, ctx.site.clock);
  for (const { webhook, doctypeName, docName } of drafts) {
    await ctx.db.run(
      sql`update "_webhook_delivery" set "state" = 4, "done_at" = ${now}, "modified" = ${timestamp(ctx.site)},
          "error" = ${`superseded: ${why}`}, "next_retry" = null
          where "webhook" = ${webhook} and "order_key" = ${orderKey(doctypeName, docName)}
          and "state" in (0, 6) and ("state" = 6 or ("due_at" > ${now} and "attempt" = 0))
          and "manual_of" is null and "is_test" = 0`,
    );
  }
}

/** The webhook was disabled: what waits is kept, and shown as held. */
export async function holdDeliveries(ctx: Context, webhook: string): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = 5, "modified" = ${timestamp(ctx.site)}, "next_retry" = null
        where "webhook" = ${webhook} and "state" = 0`,
  );
}

/** The webhook was deleted: nothing of it is sent any more. An attempt on its way is not recorded. */
export async function cancelDeliveries(ctx: Context, webhook: string): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = 4, "done_at" = ${sharedMillis(ctx.db, ctx.site.clock)},
        "modified" = ${timestamp(ctx.site)}, "next_retry" = null, "lease_until" = null, "owner" = null
        where "webhook" = ${webhook} and "state" in (0, 1, 5, 6)`,
  );
}

/** The webhook was renamed: its deliveries, done ones included, follow. */
export async function moveDeliveries(ctx: Context, from: string, to: string): Promise<void> {
  await ctx.db.run(sql`update "_webhook_delivery" set "webhook" = ${to} where "webhook" = ${from}`);
}

/** The webhook got another address: what has not been delivered goes there. */
export async function redirectDeliveries(
  ctx: Context,
  webhook: string,
  target: { readonly url: string | null; readonly method: string },
): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_body" set "url" = coalesce(${target.url}, "url"), "method" = ${target.method} where "delivery" in
        (select d."id" from "_webhook_delivery" d where d."webhook" = ${webhook} and d."state" in (0, 1, 5, 6))`,
  );
  if (target.url === null) return;
  await ctx.db.run(
    sql`update "_webhook_delivery" set "origin" = ${originOf(target.url)}
        where "webhook" = ${webhook} and "state" in (0, 1, 5, 6)`,
  );
}
