import { audit } from '../../access/audit.ts';
import { sharedMillis } from '../../db/shared-clock.ts';
import { sql } from '../../db/sql.ts';
import { type Context, timestamp } from '../../document/context.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { announceDeliveries } from '../wake.ts';
import { choose, holdWebhooks, listed, requireReadable } from './choose.ts';

/** What was cancelled. */
export interface Cancelled {
  /** How many waiting deliveries the request is about in all. */
  readonly matching: number;
  readonly cancelled: number;
  /** There are more: ask again. */
  readonly more: boolean;
}

/**
 * Has a delivery that waits, or is held, not sent any more.
 * @throws ServiceError DoesNotExistError, PermissionError; ValidationError when it does not wait
 */
export async function cancelOne(ctx: Context, name: string): Promise<void> {
  await requireReadable(ctx, name);
  if ((await cancel(ctx, [name])) > 0) return;
  throw new ServiceError('ValidationError', `${name} does not wait: it is on its way, or was settled`);
}

/** The same of all waiting and held ones that filters on the log find, so many at a time. `preview`: only counts. */
export async function cancelMany(ctx: Context, filters: unknown, preview: boolean): Promise<Cancelled> {
  const { names, matching } = await choose(ctx, { filters, condition: sql`d."state" in (0, 5, 6)` });
  if (preview || names.length === 0) return { matching, cancelled: 0, more: matching > 0 };
  const cancelled = await cancel(ctx, names);
  return { matching, cancelled, more: matching > names.length };
}

// What is leased is on its way; on SQLite so may be one that waits, and its attempt is not recorded then.
async function cancel(ctx: Context, names: readonly string[]): Promise<number> {
  const about = await ctx.db.all(
    sql`select distinct "webhook" from "_webhook_delivery" where "name" in (${listed(names)})`,
  );
  const webhooks = await holdWebhooks(
    ctx,
    about.map((row) => String(row['webhook'])),
  );
  const rows = await ctx.db.all(
    sql`update "_webhook_delivery" set "state" = 4, "done_at" = ${sharedMillis(ctx.db, ctx.site.clock)},
        "modified" = ${timestamp(ctx.site)}, "next_retry" = null
        where "name" in (${listed(names)}) and "state" in (0, 5, 6) returning "webhook", "order_key"`,
  );
  if (rows.length === 0) return 0;
  const heads = new Map(rows.map((row) => [`${row['webhook']}\u001f${row['order_key']}`, row]));
  for (const { webhook = null, order_key: key = null } of heads.values()) {
    // The next one about the document goes on.
    await ctx.db.run(
      sql`update "_webhook_delivery" set "due_at" = ${sharedMillis(ctx.db, ctx.site.clock)}, "state" =
          case when exists (select 1 from "Webhook" w where w."name" = ${webhook} and w."enabled" = 1) then 0 else 5 end
          where "state" = 6 and "id" = (select f."id" from "_webhook_delivery" f where f."webhook" = ${webhook}
            and f."order_key" = ${key} and f."state" in (0, 1, 5, 6) order by f."id" limit 1)`,
    );
  }
  await audit(ctx, {
    event: 'deliveries_cancelled',
    doctype: 'Webhook',
    ...(webhooks.size === 1 && { name: [...webhooks.keys()][0] ?? '' }),
    details: { deliveries: rows.length, webhooks: webhooks.size },
  });
  const changed = [...webhooks.keys()];
  ctx.afterCommit(() => announceDeliveries(ctx.site.database, { due: changed, changed }));
  return rows.length;
}
