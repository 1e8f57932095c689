import { audit } from '../../access/audit.ts';
import { hashPassword } from '../../access/password.ts';
import { checkNewPassword } from '../../access/password-policy.ts';
import { replacePassword } from '../../access/stored-password.ts';
import { countWithin, networkOf, tooMany } from '../../access/throttle.ts';
import { findToken, makeToken, takeToken } from '../../access/token.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Mail } from '../../site/mailer.ts';
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
  /**
   * Mails a link for a new password to whoever this names. The answer, and the time it takes, are the same for everybody, found
   * or not: what depends on the user is done afterwards.
   */
  'frappe.core.doctype.user.user.reset_password': {
    http: ['POST'],
    allowGuest: true,
    context: 'read',
    run: async (_ctx, args, { site, request }) => {
      const user = textArgument(args, 'user');
      const { siteUrl } = site.config;
      if (!site.mailer.isConfigured || siteUrl === null) {
        throw new ServiceError(
          'ValidationError',
          'This site sends no mail: ask its administrator for a new password',
        );
      }
      await limitResets(site, request);
      site.mailer.later(() => prepareReset(site, request, user, siteUrl));
      return 'If there is such an account, a mail with a link for a new password is on its way';
    },
  },
};

const RESET_WINDOW = 60 * 60_000;

/** What may be asked for from one address. @throws ServiceError TooManyRequestsError */
async function limitResets(site: Call['site'], request: Call['request']): Promise<void> {
  const most = 10 * site.settings.passwordResets;
  const what = ['reset', 'address', networkOf(request.ip)];
  const isWithin = await site.database.transaction((connection) =>
    countWithin(connection, site.clock, what, most, RESET_WINDOW),
  );
  if (!isWithin) throw tooMany(RESET_WINDOW);
}

async function prepareReset(
  site: Call['site'],
  request: Call['request'],
  given: string,
  siteUrl: string,
): Promise<Mail | null> {
  const account = await findAccount(site, given);
  // The addresses that these two are made with are nobody's.
  if (!account?.enabled || account.name === 'Administrator' || account.name === 'Guest') return null;
  const user = account.name;
  const life = site.settings.resetLinkLife;
  const key = await site.database.transaction(async (connection) => {
    const what = ['reset', 'user', user];
    const most = site.settings.passwordResets;
    if (!(await countWithin(connection, site.clock, what, most, RESET_WINDOW))) return null;
    const ctx = { site, db: connection, user: { name: '' }, origin: originOf(request) };
    await audit(ctx, { event: 'password_reset_asked', doctype: 'User', name: user });
    return makeToken(connection, site.clock, site.random, { kind: 'reset', user, life });
  });
  if (key === null) return null;
  return {
    to: account.email,
    subject: 'A new password',
    text: `Somebody asked for a new password for ${user} at ${siteUrl}.

If it was you, follow this link within ${Math.max(1, Math.round(life / 60_000))} minutes. It works once.
${siteUrl}/update-password?key=${key}

If it was not, there is nothing to do: the password stays as it is.
`,
  };
}

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
