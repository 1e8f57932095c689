import { audit } from '../../access/audit.ts';
import { sharedMillis } from '../../db/shared-clock.ts';
import { sql } from '../../db/sql.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { IS_SET_ASIDE, STATE } from '../queue/delivery-state.ts';
import { dueDelivery } from '../queue/promote-followers.ts';
import { announceDeliveries } from '../queue/wake.ts';
import { choose, holdWebhooks, listed, requireReadable } from './choose.ts';

/** The result of a cancellation. */
export interface Cancelled {
  /** The number of waiting deliveries that match. */
  readonly matching: number;
  readonly cancelled: number;
  /** More deliveries match: call again. */
  readonly more: boolean;
}

/**
 * Cancels a waiting or held delivery.
 * @throws ServiceError DoesNotExistError, PermissionError; ValidationError when it is not waiting
 */
export async function cancelOne(ctx: Context, name: string): Promise<void> {
  await requireReadable(ctx, name);
  if ((await cancel(ctx, [name])) > 0) return;
  throw new ServiceError('ValidationError', `${name} is not waiting: it is in flight or already settled`);
}

/**
 * Cancels the waiting and held deliveries that match filters on the log, up to a limit. `preview`: only
 * counts.
 */
export async function cancelMany(ctx: Context, filters: unknown, preview: boolean): Promise<Cancelled> {
  const { names, matching } = await choose(ctx, {
    filters,
    condition: sql`(d."state" in ${STATE.idle} or d.${IS_SET_ASIDE})`,
  });
  if (preview || names.length === 0) return { matching, cancelled: 0, more: matching > 0 };
  const cancelled = await cancel(ctx, names);
  return { matching, cancelled, more: matching > names.length };
}

// A leased delivery may be in flight. On SQLite a waiting one may be in flight too; its attempt is then not
// recorded.
async function cancel(ctx: Context, names: readonly string[]): Promise<number> {
  const about = await ctx.db.all(
    sql`select distinct "webhook" from "_webhook_delivery" where "name" in (${listed(names)})`,
  );
  const webhooks = await holdWebhooks(
    ctx,
    about.map((row) => String(row['webhook'])),
  );
  const rows = await ctx.db.all(
    sql`update "_webhook_delivery" set "state" = ${STATE.cancelled}, "set_aside" = 0,
          "done_at" = ${sharedMillis(ctx.db, ctx.site.clock)},
        "modified" = ${timestamp(ctx.site)}, "next_retry" = null
        where "name" in (${listed(names)}) and ("state" in ${STATE.idle} or ${IS_SET_ASIDE}) returning "webhook", "order_key"`,
  );
  if (rows.length === 0) return 0;
  const heads = new Map(rows.map((row) => [`${row['webhook']}\u001f${row['order_key']}`, row]));
  for (const { webhook = null, order_key: key = null } of heads.values()) {
    // Promotes the next delivery about the document.
    await ctx.db.run(
      sql`update "_webhook_delivery" set "due_at" = ${sharedMillis(ctx.db, ctx.site.clock)}, "state" =
          case when exists (select 1 from "Webhook" w where w."name" = ${webhook} and w."enabled" = 1)
            then ${STATE.waiting} else ${STATE.held} end
          where "state" = ${STATE.parked} and "id" = (select f."id" from "_webhook_delivery" f where f."webhook" = ${webhook}
            and f."order_key" = ${key} and f."state" ${STATE.live} order by f."id" limit 1)`,
    );
  }
  await audit(ctx, {
    event: 'deliveries_cancelled',
    doctype: 'Webhook',
    ...(webhooks.size === 1 && { name: [...webhooks.keys()][0] ?? '' }),
    details: { deliveries: rows.length, webhooks: webhooks.size },
  });
  const changed = [...webhooks.keys()];
  ctx.afterCommit(() => announceDeliveries(ctx.site.database, { due: rows.map(dueDelivery), changed }));
  return rows.length;
}
