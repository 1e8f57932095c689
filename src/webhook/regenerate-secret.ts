import { defineMethod } from '../document/method.ts';
import { updateDocument } from '../document/update.ts';
import { newSecret } from './sign.ts';

/**
 * `chancery.webhook.regenerate_secret {webhook}`: replaces the signing secret and shows the new one, once. Deliveries
 * sent from then on, waiting ones included, are signed with it. Needs write permission on the webhook.
 */
export const regenerateSecret = defineMethod({
  description: 'A new secret of a webhook, shown once',
  args: { webhook: { type: 'Data', required: true, description: 'Name of a Webhook' } },
  async run(ctx, { webhook: name }) {
    const secret = newSecret(ctx.site.random);
    await updateDocument(ctx, 'Webhook', name, { secret });
    return { name, secret };
  },
});
