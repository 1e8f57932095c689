import { audit } from '../../access/audit.ts';
import type { Context } from '../../document/contract.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { newSecret } from '../send/sign.ts';
import { keepOutgoing, loadOutgoing, switchToCurrent } from './signing-secrets.ts';

const HOUR = 60 * 60 * 1000;

/**
 * `chancery.webhook.regenerate_secret {webhook, overlap_hours}`: replaces the signing secret and shows the
 * new one, once. It signs all later requests, those of waiting deliveries included. During the overlap the
 * former secret signs beside it. Needs write permission on the webhook.
 */
export const regenerateSecret = defineMethod({
  confidential: true,
  description: 'Create a new secret for a webhook; it is shown once',
  args: {
    webhook: { type: 'Data', required: true, description: 'Name of a Webhook' },
    overlap_hours: {
      type: 'Int',
      default: 0,
      min: 0,
      max: LIMITS.keyOverlapHours,
      description: 'How long the former secret stays valid too; default: not at all',
    },
  },
  async run(ctx, { webhook: name, overlap_hours }) {
    const secret = newSecret(ctx.site.random);
    const until = nowMillis(ctx.site.clock) + overlap_hours * HOUR;
    const outgoing = overlap_hours === 0 ? [] : await loadOutgoing(ctx, name);
    await updateDocument(ctx, 'Webhook', name, { secret });
    if (outgoing.length > 0) await keepOutgoing(ctx, name, outgoing, until);
    return { name, secret, old_secret_until: outgoing.length > 0 ? shown(ctx, until) : null };
  },
});

/**
 * `chancery.webhook.switch_secret {webhook, end_overlap}`: while secrets overlap, the oldest makes the
 * signatures for which there is only one place. From this call on the new secret makes them. `end_overlap`:
 * the former secrets expire now. Needs write permission on the webhook.
 */
export const switchSecret = defineMethod({
  description: 'Use the new secret of a webhook for headers that hold a single signature',
  args: {
    webhook: { type: 'Data', required: true, description: 'Name of a Webhook' },
    end_overlap: { type: 'Check', description: 'The former secrets expire at once' },
  },
  async run(ctx, { webhook: name, end_overlap }) {
    // An update without changes checks the right to write, and tells the workers.
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
