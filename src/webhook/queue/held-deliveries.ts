import { sharedMillis } from '../../db/shared-clock.ts';
import { sql } from '../../db/sql.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { liveOf, STATE } from './delivery-state.ts';

/** What happens to held deliveries when their webhook is enabled again. */
export type HeldChoice = 'Send' | 'Send Newest' | 'Drop';

/** The field `held_deliveries` of a webhook; the default is to send. */
export function heldChoice(value: unknown): HeldChoice {
  return value === 'Drop' || value === 'Send Newest' ? value : 'Send';
}

/**
 * Releases the held deliveries of a webhook: all are due at once, or the newest of each document, or none.
 */
export async function releaseHeld(ctx: Context, webhook: string, choice: HeldChoice): Promise<void> {
  const now = sharedMillis(ctx.db, ctx.site.clock);
  const modified = timestamp(ctx.site);
  if (choice !== 'Send') {
    // Also covers state 0: deliveries released or promoted after the webhook was disabled, but not held yet.
    const isKept = sql`not exists (select 1 from "_webhook_delivery" n where n."webhook" = "_webhook_delivery"."webhook"
      and n."order_key" = "_webhook_delivery"."order_key" and n."id" > "_webhook_delivery"."id"
      and n."state" ${STATE.live} and n."state" in ${STATE.idle})`;
    const isDropped = choice === 'Drop' ? sql`1 = 1` : sql`not (${isKept})`;
    await ctx.db.run(
      sql`update "_webhook_delivery" set "state" = ${STATE.cancelled}, "done_at" = ${now}, "modified" = ${modified},
            "next_retry" = null,
          "error" = 'dropped: the webhook was enabled again without it'
          where "id" in (${liveOf(webhook)}) and "state" in ${STATE.idle} and ${isDropped}`,
    );
    await ctx.db.run(
      sql`update "_webhook_delivery" set "state" = ${STATE.waiting}, "due_at" = ${now}, "modified" = ${modified}
          where "webhook" = ${webhook} and ${STATE.aside} and "state" = ${STATE.parked} and not exists (select 1 from "_webhook_delivery" p
          where p."webhook" = "_webhook_delivery"."webhook" and p."order_key" = "_webhook_delivery"."order_key"
          and p."id" < "_webhook_delivery"."id" and p."state" ${STATE.live})`,
    );
  }
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = ${STATE.waiting}, "due_at" = ${now}, "modified" = ${modified}
        where "webhook" = ${webhook} and ${STATE.aside} and "state" = ${STATE.held}`,
  );
}
