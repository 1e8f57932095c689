import { isSystemManager } from '../../access/user.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { generateKey } from '../../standard/api-key/api-keys.ts';
import { textArgument } from '../arguments.ts';
import { type BuiltIns, writing } from './built-in.ts';

/** Administration of users. */
export const userMethods: BuiltIns = {
  /** A new secret of the key that the User document names; it is shown here and never again. */
  'frappe.core.doctype.user.user.generate_keys': writing(['POST'], async (ctx, args, call) => {
    if (!isSystemManager(ctx.user)) {
      throw new ServiceError('PermissionError', 'Only a System Manager may make API keys', {
        title: 'Not permitted',
      });
    }
    const made = await generateKey(ctx, textArgument(args, 'user'));
    ctx.afterCommit(() => call.site.authenticator.forget());
    return made;
  }),
};
