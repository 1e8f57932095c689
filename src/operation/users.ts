import { isSystemManager } from '../access/user.ts';
import type { Context } from '../document/contract.ts';
import { readDocument } from '../document/verbs/read.ts';
import { ServiceError } from '../kernel/errors.ts';
import { generateKey } from '../standard/api-key/api-keys.ts';
import { TEXT } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';

/** User administration. */
export const userOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.core.doctype.user.user.generate_keys',
    summary: 'Create a new secret for the API key of the User document; it is shown once',
    effect: 'write',
    confidential: true,
    roles: ['System Manager'],
    http: ['POST'],
    args: { user: TEXT },
    result: { type: 'object' },
    run: async (ctx, { user }) => {
      const made = await generateKey(ctx, user);
      ctx.dropCaches('users');
      return made;
    },
  }),
];

/**
 * The caller, or the user `named`. Only a System Manager may name another user, and only one that they may
 * see.
 */
export async function userToManage(ctx: Context, named: string | undefined): Promise<string> {
  const user = named ?? ctx.user.name;
  if (user === ctx.user.name) return user;
  if (!isSystemManager(ctx.user)) {
    throw new ServiceError('PermissionError', 'Only a System Manager may do this for others', {
      title: 'Not permitted',
    });
  }
  return (await readDocument(ctx, 'User', user)).name;
}
