import { audit } from '../access/audit.ts';
import type { Context } from '../document/context.ts';
import { defineMethod } from '../document/method.ts';
import { updateDocument } from '../document/update.ts';
import { formatTimestamp, nowMillis } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { newSecret } from './sign.ts';
import { keepOutgoing, readOutgoing, switchToCurrent } from './signing-secrets.ts';

const HOUR = 60 * 60 * 1000;

/**
 * `chancery.webhook.regenerate_secret {webhook, overlap_hours}`: replaces the signing secret and shows the new one, once.
 * Deliveries sent from then on, waiting ones included, are signed with it; with an overlap with the former one beside it.
 * Needs write permission on the webhook.
 */
export const regenerateSecret = defineMethod({
  description: 'A new secret of a webhook, shown once',
  args: {
    webhook: { type: 'Data', required: true, description: 'Name of a Webhook' },
    overlap_hours: {
      type: 'Int',
      default: 0,
      min: 0,
      max: LIMITS.keyOverlapHours,
      description: 'How long the former secret goes on beside it; default: not at all',
    },
  },
  async run(ctx, { webhook: name, overlap_hours }) {
    const secret = newSecret(ctx.site.random);
    const until = nowMillis(ctx.site.clock) + overlap_hours * HOUR;
    const outgoing = overlap_hours === 0 ? [] : await readOutgoing(ctx, name);
    await updateDocument(ctx, 'Webhook', name, { secret });
    if (outgoing.length > 0) await keepOutgoing(ctx, name, outgoing, until);
    return { name, secret, old_secret_until: outgoing.length > 0 ? shown(ctx, until) : null };
  },
});

/**
 * `chancery.webhook.switch_secret {webhook, end_overlap}`: while secrets overlap, signatures that can be only one are made with
 * the oldest; from now on with the new one. `end_overlap`: the former ones stop counting. Needs write permission on the webhook.
 */
export const switchSecret = defineMethod({
  description: 'Sign with the new secret of a webhook where there is room for one signature',
  args: {
    webhook: { type: 'Data', required: true, description: 'Name of a Webhook' },
    end_overlap: { type: 'Check', description: 'The former secrets stop counting at once' },
  },
  async run(ctx, { webhook: name, end_overlap }) {
    // Saving it as it is asks for the right, and lets whoever sends know.
    await updateDocument(ctx, 'Webhook', name, {});
    const until = await switchToCurrent(ctx, name, end_overlap);
    const details = { change: end_overlap ? 'overlap ended' : 'switched' };
    await audit(ctx, { event: 'webhook_secret_changed', doctype: 'Webhook', name, details });
    return { name, old_secret_until: until === null ? null : shown(ctx, until) };
  },
});

function shown({ site }: Context, millis: number): string {
  return formatTimestamp(millis * 1000, site.config.timeZone).slice(0, 19);
}
