import { sharedMillis } from '../db/shared-clock.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import { type Context, type Site, timestamp } from '../document/context.ts';

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
  /** Why there is nothing to send: the delivery is exhausted from the start. Null for a normal one. */
  readonly failure: string | null;
}

/** Rows per statement: keeps the number of bound values far below what either engine takes. */
const CHUNK = 100;

/** Stores deliveries. One that follows an undelivered one of the same webhook and document is parked behind it. */
export async function stageDeliveries(ctx: Context, drafts: readonly DeliveryDraft[]): Promise<void> {
  for (let start = 0; start < drafts.length; start += CHUNK) {
    await stageChunk(ctx, drafts.slice(start, start + CHUNK));
  }
}

async function stageChunk(ctx: Context, drafts: readonly DeliveryDraft[]): Promise<void> {
  const byName = new Map(drafts.map((draft) => [newDeliveryName(ctx.site), draft]));
  const now = sharedMillis(ctx.db, ctx.site.clock);
  const rows = [...byName].map(([name, draft]) => {
    const created = timestamp(ctx.site);
    const key = orderKey(draft.doctypeName, draft.docName);
    const state = draft.failure === null ? initialState(draft.webhook, key) : sql`3`;
    const done = draft.failure === null ? sql`null` : now;
    return sql`(${name}, ${draft.webhook}, ${draft.event}, ${draft.doctypeName}, ${draft.docName}, ${ctx.user.name},
      ${key}, ${state}, ${now}, ${draft.failure}, ${created}, ${created}, ${done})`;
  });
  const stored = await ctx.db.all(
    sql`insert into "_webhook_delivery" ("name", "webhook", "event", "reference_doctype", "reference_document", "user",
        "order_key", "state", "due_at", "error", "creation", "modified", "done_at")
        values ${join(rows)} returning "id", "name"`,
  );
  const bodies = stored.flatMap((row) => {
    const draft = byName.get(String(row['name']));
    return draft
      ? [sql`(${row['id'] ?? null}, ${draft.method}, ${draft.url}, ${draft.headers}, ${draft.body})`]
      : [];
  });
  await ctx.db.run(
    sql`insert into "_webhook_body" ("delivery", "method", "url", "headers", "body") values ${join(bodies)}`,
  );
}

function initialState(webhook: string, key: string): Sql {
  return sql`case when exists (select 1 from "_webhook_delivery" p where p."webhook" = ${webhook}
    and p."order_key" = ${key} and p."state" in (0, 1, 5, 6)) then 6 else 0 end`;
}

function orderKey(doctypeName: string, docName: string): string {
  return `${doctypeName}\u001f${docName}`;
}

// Begins with the time, so that the index on names grows at its end.
function newDeliveryName(site: Site): string {
  return `dlv_${site.clock.micros().toString(32).padStart(11, '0')}${site.random.hash(10)}`;
}

/** The webhook was disabled: what waits is kept, and shown as held. */
export async function holdDeliveries(ctx: Context, webhook: string): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = 5, "modified" = ${timestamp(ctx.site)}, "next_retry" = null
        where "webhook" = ${webhook} and "state" = 0`,
  );
}

/** The webhook was enabled again: what was held is due at once. */
export async function releaseDeliveries(ctx: Context, webhook: string): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = 0, "due_at" = ${sharedMillis(ctx.db, ctx.site.clock)},
        "modified" = ${timestamp(ctx.site)} where "webhook" = ${webhook} and "state" = 5`,
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
  target: { readonly url: string; readonly method: string },
): Promise<void> {
  await ctx.db.run(
    sql`update "_webhook_body" set "url" = ${target.url}, "method" = ${target.method} where "delivery" in
        (select d."id" from "_webhook_delivery" d where d."webhook" = ${webhook} and d."state" in (0, 1, 5, 6))`,
  );
}
