import { sharedMillis } from '../db/shared-clock.ts';
import { sql } from '../db/sql.ts';
import { type Context, timestamp } from '../document/context.ts';

/** What becomes of what was held when its webhook is enabled again. */
export type HeldChoice = 'Send' | 'Send Newest' | 'Drop';

/** `held_deliveries` of a webhook; whatever it does not say is sent. */
export function heldChoice(value: unknown): HeldChoice {
  return value === 'Drop' || value === 'Send Newest' ? value : 'Send';
}

/** Releases what is held for a webhook: all of it is due at once, or the newest delivery of each document, or nothing. */
export async function releaseHeld(ctx: Context, webhook: string, choice: HeldChoice): Promise<void> {
  const now = sharedMillis(ctx.db, ctx.site.clock);
  const modified = timestamp(ctx.site);
  if (choice !== 'Send') {
    // 0: given back or come next after the webhook was disabled, and not held yet.
    const isKept = sql`not exists (select 1 from "_webhook_delivery" n where n."webhook" = "_webhook_delivery"."webhook"
      and n."order_key" = "_webhook_delivery"."order_key" and n."id" > "_webhook_delivery"."id" and n."state" in (0, 5, 6))`;
    const isDropped = choice === 'Drop' ? sql`1 = 1` : sql`not (${isKept})`;
    await ctx.db.run(
      sql`update "_webhook_delivery" set "state" = 4, "done_at" = ${now}, "modified" = ${modified}, "next_retry" = null,
          "error" = 'dropped: the webhook was enabled again without it'
          where "webhook" = ${webhook} and "state" in (0, 5, 6) and ${isDropped}`,
    );
    await ctx.db.run(
      sql`update "_webhook_delivery" set "state" = 0, "due_at" = ${now}, "modified" = ${modified}
          where "webhook" = ${webhook} and "state" = 6 and not exists (select 1 from "_webhook_delivery" p
          where p."webhook" = "_webhook_delivery"."webhook" and p."order_key" = "_webhook_delivery"."order_key"
          and p."id" < "_webhook_delivery"."id" and p."state" in (0, 1, 5, 6))`,
    );
  }
  await ctx.db.run(
    sql`update "_webhook_delivery" set "state" = 0, "due_at" = ${now}, "modified" = ${modified}
        where "webhook" = ${webhook} and "state" = 5`,
  );
}
