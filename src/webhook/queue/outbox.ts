import type { Connection, Row } from '../../db/database.ts';
import { sharedMillis } from '../../db/shared-clock.ts';
import { type SqlValue, sql } from '../../db/sql.ts';
import { timestamp } from '../../document/context.ts';
import type { Context, Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { Recent } from '../../kernel/recent.ts';
import { DELIVERY_STATE, IS_SET_ASIDE, liveOf, STATE } from './delivery-state.ts';
import { OUTBOX } from './outbox-statements.ts';
import { promoteSoon } from './promote-followers.ts';
import type { DueDelivery } from './wake.ts';

/** A delivery to store in the transaction of the document's change. */
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
  /** The reason why it is not sent: it is stored as exhausted. Null for a normal delivery. */
  readonly failure: string | null;
  /** Only with a failure: stored as cancelled, but can still be resent by hand. */
  readonly isCancelled?: boolean;
  /** Milliseconds until the first attempt; default 0. */
  readonly delay?: number;
  /** The number of deliveries that led to this one; default 0. */
  readonly chainDepth?: number;
  /** A test delivery, requested by a user. */
  readonly isTest?: boolean;
  /** The delivery that this one resends: the receiver sees the name and number of that one. */
  readonly manualOf?: { readonly name: string; readonly seq: number };
  /** Does not wait for other deliveries about the same document. */
  readonly unordered?: boolean;
  /** Replaces the deliveries that wait behind another one about the same document. */
  readonly supersedes?: boolean;
}

/** Drafts per statement when there are many. */
const CHUNK = 200;

/** A stored delivery. */
export interface Staged extends DueDelivery {
  readonly name: string;
}

/**
 * Stores deliveries, in this order. A delivery is parked if an earlier one of the same webhook and document
 * is undelivered.
 */
export async function stageDeliveries(ctx: Context, drafts: readonly DeliveryDraft[]): Promise<Staged[]> {
  const newer = drafts.filter(({ supersedes, failure }) => supersedes && failure === null);
  if (newer.length > 0) await supersedeDeliveries(ctx, newer, 'a newer change is sent in its place');
  const created = timestamp(ctx.site);
  const texts = sharedTexts(ctx.site, drafts);
  const rows = drafts.map((draft) => toRow(ctx, draft, created, texts.get(draft.body)));
  if (ctx.db.dialect.name === 'sqlite') await insertOnSqlite(ctx, rows, [...texts.values()]);
  else {
    const inserted = await insertOnPostgres(ctx.db, rows, [...texts.values()]);
    ctx.afterCommit(async () => {
      const parked = (await Promise.all(inserted)).flat();
      if (parked.length > 0) promoteSoon(ctx.site.database, parked);
    });
  }
  return rows.map((row) => ({ name: row.name, webhook: row.webhook, orderKey: row.order_key }));
}

/** A body that several deliveries send: stored once, and deleted with the last of them. */
interface SharedText {
  readonly id: string;
  readonly uses: number;
  readonly text: string;
}

/** The texts to share, by body. Short ones are cheaper to store than to look up. */
function sharedTexts(site: Site, drafts: readonly DeliveryDraft[]): ReadonlyMap<string, SharedText> {
  const texts = new Map<string, SharedText>();
  if (drafts.length < 2) return texts;
  for (const [text, { length }] of Map.groupBy(drafts, ({ body }) => body)) {
    if (length > 1 && text.length >= SHARED_LENGTH) {
      texts.set(text, { id: timedName(site, 'txt_'), uses: length, text });
    }
  }
  return texts;
}

const SHARED_LENGTH = 200;

type DraftRow = Readonly<Record<string, SqlValue>> & {
  readonly name: string;
  readonly webhook: string;
  readonly order_key: string;
};

function toRow(
  ctx: Context,
  draft: DeliveryDraft,
  created: string,
  shared: SharedText | undefined,
): DraftRow {
  const name = timedName(ctx.site, NAME);
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
    state:
      draft.failure === null ? null : draft.isCancelled ? DELIVERY_STATE.cancelled : DELIVERY_STATE.exhausted,
    delay: draft.delay ?? 0,
    creation: created,
    seq: draft.manualOf?.seq ?? null,
    manual_of: draft.manualOf?.name ?? null,
    origin: urlOrigin(draft.url),
    chain_depth: draft.chainDepth ?? 0,
    is_test: draft.isTest ? 1 : 0,
    method: draft.method,
    url: draft.url,
    headers: draft.headers,
    body: shared ? '' : draft.body,
    text: shared?.id ?? null,
  };
}

// One statement for each: a statement with many rows, and one that reads JSON, take longer for the same rows.
async function insertOnSqlite(
  ctx: Context,
  rows: readonly DraftRow[],
  texts: readonly SharedText[],
): Promise<void> {
  const now = nowMillis(ctx.site.clock);
  for (const { id, uses, text } of texts) {
    await ctx.db.run({ text: OUTBOX.sqliteText, values: [id, uses, text] });
  }
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
      values: [row['method'], row['url'], row['headers'], row['body'], row['text']] as SqlValue[],
    });
  }
}

// A statement does not see the rows that it inserts, so deliveries about the same document need one statement
// each. Their results are the parked ones, which arrive by the commit.
async function insertOnPostgres(
  connection: Connection,
  rows: readonly DraftRow[],
  texts: readonly SharedText[],
): Promise<readonly (Row[] | Promise<Row[]>)[]> {
  const inserted: (Row[] | Promise<Row[]>)[] = [];
  let chunk: DraftRow[] = [];
  const keys = new Set<string>();
  const insert = async () => {
    if (chunk.length === 0) return;
    const values = [JSON.stringify(chunk), JSON.stringify(inserted.length === 0 ? texts : [])];
    const statement = { text: OUTBOX.postgres, values };
    inserted.push(connection.send?.(statement) ?? (await connection.all(statement)));
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
  return inserted;
}

const origins = new Recent<string | null>(500);

/** Scheme, host and port of an address; null when it has none. Cached, since addresses repeat. */
export function urlOrigin(url: string): string | null {
  let origin = origins.get(url);
  if (origin === undefined) {
    origin = URL.canParse(url) ? new URL(url).origin : null;
    origins.set(url, origin);
  }
  return origin;
}

function orderKey(doctypeName: string, docName: string): string {
  return `${doctypeName}\u001f${docName}`;
}

// Begins with the time, so that inserts go to the end of the index.
function timedName(site: Site, prefix: string): string {
  return `${prefix}${site.clock.micros().toString(32).padStart(TIME_DIGITS, '0')}${site.random.hash(10)}`;
}

const NAME = 'dlv_';
const TIME_DIGITS = 11;

/**
 * The time at which the delivery of this name was stored, by the clock of that moment; milliseconds, 0 for a
 * name of another kind.
 */
export function deliveryMillis(name: string): number {
  const micros = Number.parseInt(name.slice(NAME.length, NAME.length + TIME_DIGITS), 32);
  return name.startsWith(NAME) && micros > 0 ? Math.floor(micros / 1000) : 0;
}

/** Cancels deliveries that wait for their turn or for a later time, in favour of newer ones. */
export async function supersedeDeliveries(
  ctx: Context,
  drafts: readonly DeliveryDraft[],
  why: string,
): Promise<void> {
  const now = sharedMillis(ctx.db, ctx.site.clock);
  for (const { webhook, doctypeName, docName } of drafts) {
    await ctx.db.run(
      sql`update "_webhook_delivery" set "state" = ${STATE.cancelled}, "done_at" = ${now},
          "modified" = ${timestamp(ctx.site)},
          "error" = ${`superseded: ${why}`}, "next_retry" = null
          where "webhook" = ${webhook} and "order_key" = ${orderKey(doctypeName, docName)}
          and "state" ${STATE.live} and "state" in (${STATE.waiting}, ${STATE.parked})
          and ("state" = ${STATE.parked} or ("due_at" > ${now} and "attempt" = 0))
          and "manual_of" is null and "is_test" = 0`,
    );
  }
}

/** The webhook was disabled: holds its waiting deliveries. */
export async function holdDeliveries(ctx: Context, webhook: string): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = ${STATE.held}, "modified" = ${timestamp(ctx.site)}, "next_retry" = null
        where "webhook" = ${webhook} and "state" = ${STATE.waiting}`,
  );
}

/** The webhook was deleted: cancels its deliveries. An attempt in flight is not recorded. */
export async function cancelDeliveries(ctx: Context, webhook: string): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = ${STATE.cancelled},
          "done_at" = ${sharedMillis(ctx.db, ctx.site.clock)},
        "modified" = ${timestamp(ctx.site)}, "next_retry" = null, "lease_until" = null, "owner" = null
        where "id" in (${liveOf(webhook)}) and "state" ${STATE.live}`,
  );
  await ctx.db.run(
    sql`update "_webhook_delivery" set "set_aside" = 0, "modified" = ${timestamp(ctx.site)}
        where "webhook" = ${webhook} and ${IS_SET_ASIDE}`,
  );
}

/** The webhook was renamed: moves all its deliveries, ended ones included. */
export async function moveDeliveries(ctx: Context, from: string, to: string): Promise<void> {
  await ctx.db.run(sql`update "_webhook_delivery" set "webhook" = ${to} where "webhook" = ${from}`);
}

/** The webhook's address changed: redirects its undelivered deliveries. */
export async function redirectDeliveries(
  ctx: Context,
  webhook: string,
  target: { readonly url: string | null; readonly method: string },
): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_body" set "url" = coalesce(${target.url}, "url"), "method" = ${target.method} where "delivery" in
        (${liveOf(webhook)})`,
  );
  if (target.url === null) return;
  await ctx.db.run(
    sql`update "_webhook_delivery" set "origin" = ${urlOrigin(target.url)}
        where "id" in (${liveOf(webhook)})`,
  );
}
