import { defineMethod } from '../document/method.ts';
import { updateDocument } from '../document/update.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newSecret } from './sign.ts';

/**
 * `chancery.webhook.regenerate_secret {webhook}`: replaces the signing secret and shows the new one, once. Deliveries
 * sent from then on, waiting ones included, are signed with it. Needs write permission on the webhook.
 */
export const regenerateSecret = defineMethod({
  async run(ctx, args) {
    const name = args['webhook'];
    if (typeof name !== 'string' || name === '') {
      throw new ServiceError('MandatoryError', 'webhook is required: the name of a Webhook');
    }
    const secret = newSecret(ctx.site.random);
    await updateDocument(ctx, 'Webhook', name, { secret });
    return { name, secret };
  },
});
