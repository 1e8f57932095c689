import { audit } from '../../access/audit.ts';
import { hashPassword } from '../../access/password.ts';
import { checkNewPassword } from '../../access/password-policy.ts';
import { replacePassword } from '../../access/stored-password.ts';
import { findToken, takeToken } from '../../access/token.ts';
import { type Arguments, optionalText, textArgument } from '../arguments.ts';
import { notSignedIn } from '../identify.ts';
import { originOf } from '../origin.ts';
import { provePassword, refused, requireWholeUser } from '../prove-password.ts';
import { keptSession } from '../session-cookie.ts';
import { findAccount, requireUnchanged } from '../sign-in.ts';
import type { BuiltIns, Call } from './built-in.ts';

/** One's own password. Those of others are fields of their users. */
export const passwordMethods: BuiltIns = {
  /**
   * A new password: with the old one, for whoever calls, or with the key of a mail. Everything the old password opened is
   * closed, but for the session that asks.
   */
  'frappe.core.doctype.user.user.update_password': {
    http: ['POST'],
    allowGuest: true,
    // Hashing takes tens of milliseconds, which no transaction should last.
    context: 'read',
    run: async (_ctx, args, call) => {
      const key = optionalText(args, 'key');
      const password = textArgument(args, 'new_password');
      if (key === undefined) await changeOwn(args, call, password);
      else await changeByKey(call, key, password);
      call.site.authenticator.forget();
      return null;
    },
  },
};

async function changeOwn(args: Arguments, { site, request }: Call, password: string): Promise<void> {
  if (request.user.isGuest) throw notSignedIn();
  requireWholeUser(request);
  const user = request.user.name;
  const old = textArgument(args, 'old_password');
  const { account, hash, attempt } = await provePassword(site, request, user, old);
  checkNewPassword(password, [account.name, account.email, account.username]);
  const replacement = await hashPassword(password);
  await site.database.transaction(async (connection) => {
    await requireUnchanged(connection, user, hash);
    await attempt.succeeded(connection);
    await replacePassword(connection, user, replacement, keptSession(request));
    const ctx = { site, db: connection, user: request.user, origin: originOf(request) };
    await audit(ctx, { event: 'password_changed', doctype: 'User', name: user });
  });
}

async function changeByKey({ site, request }: Call, key: string, password: string): Promise<void> {
  const user = await findToken(site.database.reader, site.clock, 'reset', key);
  const account = user === null ? null : await findAccount(site, user);
  if (!account?.enabled) throw refused('The link was used before, or has expired');
  checkNewPassword(password, [account.name, account.email, account.username]);
  const replacement = await hashPassword(password);
  await site.database.transaction(async (connection) => {
    await requireUnchanged(connection, account.name, undefined);
    if (!(await takeToken(connection, 'reset', key)))
      throw refused('The link was used before, or has expired');
    await replacePassword(connection, account.name, replacement);
    const ctx = { site, db: connection, user: account, origin: { ...originOf(request), credential: 'mail' } };
    await audit(ctx, { event: 'password_changed', doctype: 'User', name: account.name });
  });
}
