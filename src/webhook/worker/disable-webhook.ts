import { ADMINISTRATOR } from '../../access/user.ts';
import { sql } from '../../db/sql.ts';
import { asSystem } from '../../document/context.ts';
import type { Context, Site } from '../../document/contract.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { nowMillis } from '../../kernel/clock.ts';

/** Notifies the administrators of a site about one of its webhooks. */
export type Notify = (webhook: string, text: string) => void;

/**
 * Disables a webhook on behalf of the system: stores the reason in the webhook and in a comment, and holds
 * the waiting deliveries.
 */
export async function disableWebhook(
  site: Site,
  webhook: string,
  reason: string,
  notify: Notify,
): Promise<void> {
  const disabled = await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    if (!(await isEnabled(ctx, webhook))) return false;
    await updateDocument(asSystem(ctx), 'Webhook', webhook, { enabled: 0, disabled_reason: reason });
    await comment(ctx, webhook, `Disabled: ${reason}`);
    await ctx.db.run(
      sql`update "_webhook_endpoint" set "disabled_at" = ${nowMillis(site.clock)}, "disabled_reason" = ${reason}
          where "webhook" = ${webhook}`,
    );
    return true;
  });
  if (disabled)
    notify(
      webhook,
      `The webhook ${webhook} was disabled: ${reason}. Its deliveries are held until it is enabled.`,
    );
}

/** Reports that a webhook has been failing, in a comment and to the administrators. */
export async function noticeFailing(
  site: Site,
  webhook: string,
  hours: number,
  notify: Notify,
): Promise<void> {
  const text = `every delivery has failed for ${hours === 1 ? 'an hour' : `${hours} hours`}`;
  await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
    if (await isEnabled(ctx, webhook)) await comment(ctx, webhook, `Failing: ${text}`);
  });
  notify(webhook, `The webhook ${webhook} is failing: ${text}.`);
}

async function isEnabled(ctx: Context, webhook: string): Promise<boolean> {
  const row = await ctx.db.get(sql`select "enabled" from "Webhook" where "name" = ${webhook}`);
  return Number(row?.['enabled']) === 1;
}

async function comment(ctx: Context, webhook: string, content: string): Promise<void> {
  await createDocument(ctx, 'Comment', {
    comment_type: 'Info',
    reference_doctype: 'Webhook',
    reference_name: webhook,
    content,
  });
}
