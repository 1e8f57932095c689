import { newApiKey, storeApiKey } from '../../access/api-key.ts';
import { isSystemManager } from '../../access/user.ts';
import { timestamp } from '../../document/context.ts';
import { readDocument } from '../../document/read.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { textArgument } from '../arguments.ts';
import { type BuiltIns, writing } from './built-in.ts';

/** Administration of users. */
export const userMethods: BuiltIns = {
  /** A further key for a user; the secret is shown here and never again. Keys made earlier stay valid. */
  'frappe.core.doctype.user.user.generate_keys': writing(['POST'], async (ctx, args, call) => {
    if (!isSystemManager(ctx.user)) {
      throw new ServiceError('PermissionError', 'Only a System Manager may make API keys', {
        title: 'Not permitted',
      });
    }
    const user = textArgument(args, 'user');
    await readDocument(ctx, 'User', user);
    const { key, secret } = newApiKey(call.site.random);
    await storeApiKey(ctx.db, { key, secret, user, label: 'generate_keys', creation: timestamp(ctx.site) });
    ctx.afterCommit(() => call.site.authenticator.forget());
    return { api_key: key, api_secret: secret };
  }),
};
