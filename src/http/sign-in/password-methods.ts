import { audit } from '../../access/audit.ts';
import { requireWholeUser } from '../../access/key-scope.ts';
import { hashPassword } from '../../access/password.ts';
import { checkNewPassword } from '../../access/password-policy.ts';
import { signInRefused } from '../../access/sign-in-rules.ts';
import { replacePassword } from '../../access/stored-password.ts';
import { countWithin, networkOf, tooMany } from '../../access/throttle.ts';
import { findToken, makeToken, takeToken } from '../../access/token.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type ArgumentValues, missingText, OPTIONAL_TEXT, TEXT } from '../../operation/arguments.ts';
import { defineOperation, notPermitted, type Operation } from '../../operation/operation.ts';
import { NOTHING } from '../../operation/result.ts';
import type { Mail } from '../../site/start/mailer.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { keptSession } from '../caller/session-cookie.ts';
import type { HttpCall } from '../http-call.ts';
import { provePassword } from './prove-password.ts';
import { findAccount, requireUnchanged } from './sign-in.ts';

/** The arguments for a new password: the old one, or the key from a mail. */
export const PASSWORD_ARGUMENTS = { new_password: TEXT, old_password: OPTIONAL_TEXT, key: OPTIONAL_TEXT };

/** The caller's own password. Other users' passwords are fields of their User documents. */
export const passwordOperations: readonly Operation<HttpCall>[] = [
  // Ends everything that the old password opened, except the caller's session.
  defineOperation({
    name: 'frappe.core.doctype.user.user.update_password',
    summary: "Set the caller's new password, with the old one or with the key from a mail",
    effect: 'write',
    access: 'guest',
    // Hashing takes tens of milliseconds; no transaction should last that long.
    transaction: 'own',
    http: ['POST'],
    args: PASSWORD_ARGUMENTS,
    result: NOTHING,
    run: (_ctx, args, call: HttpCall) => updatePassword(args, call),
  }),

  // The answer and its time are the same for every address, known or not: the work happens afterwards.
  defineOperation({
    name: 'frappe.core.doctype.user.user.reset_password',
    summary: 'Send a mail with a link to set a new password',
    effect: 'write',
    access: 'guest',
    transaction: 'own',
    http: ['POST'],
    args: { user: TEXT },
    result: { type: 'string' },
    run: async (_ctx, { user }, { site, request }: HttpCall) => {
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
  }),
];

/** Sets a new password. @throws ServiceError AuthenticationError, ValidationError for a weak one */
export async function updatePassword(
  { new_password: password, old_password: old, key }: ArgumentValues<typeof PASSWORD_ARGUMENTS>,
  call: HttpCall,
): Promise<null> {
  if (key === undefined) await changeOwn(call, old, password);
  else await changeByKey(call, key, password);
  await call.site.dropCaches('users');
  return null;
}

const RESET_WINDOW = 60 * 60_000;

/** Limits the mails that one address may request. @throws ServiceError TooManyRequestsError */
async function limitResets(site: HttpCall['site'], request: HttpCall['request']): Promise<void> {
  const most = 10 * site.settings.passwordResets;
  const what = ['reset', 'address', networkOf(request.ip)];
  const isWithin = await site.database.transaction((connection) =>
    countWithin(connection, site.clock, what, most, RESET_WINDOW),
  );
  if (!isWithin) throw tooMany(RESET_WINDOW);
}

async function prepareReset(
  site: HttpCall['site'],
  request: HttpCall['request'],
  given: string,
  siteUrl: string,
): Promise<Mail | null> {
  const account = await findAccount(site, given);
  // Administrator and Guest are created with addresses that belong to nobody.
  if (!account?.enabled || account.name === 'Administrator' || account.name === 'Guest') return null;
  const user = account.name;
  const life = site.settings.resetLinkLife;
  const key = await site.database.transaction(async (connection) => {
    const what = ['reset', 'user', user];
    const most = site.settings.passwordResets;
    if (!(await countWithin(connection, site.clock, what, most, RESET_WINDOW))) return null;
    const ctx = { site, db: connection, user: { name: '' }, origin: provenanceOf(request) };
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

async function changeOwn(
  { site, request }: HttpCall,
  old: string | undefined,
  password: string,
): Promise<void> {
  if (request.user.isGuest) throw notPermitted();
  requireWholeUser(request.user);
  if (old === undefined) throw missingText('old_password');
  const user = request.user.name;
  const { account, hash, attempt } = await provePassword(site, request, user, old);
  checkNewPassword(password, [account.name, account.email, account.username]);
  const replacement = await hashPassword(password);
  await site.database.transaction(async (connection) => {
    await requireUnchanged(connection, user, hash);
    await attempt.succeeded(connection);
    await replacePassword(connection, user, replacement, keptSession(request));
    const ctx = { site, db: connection, user: request.user, origin: provenanceOf(request) };
    await audit(ctx, { event: 'password_changed', doctype: 'User', name: user });
  });
}

async function changeByKey({ site, request }: HttpCall, key: string, password: string): Promise<void> {
  const user = await findToken(site.database.reader, site.clock, 'reset', key);
  const account = user === null ? null : await findAccount(site, user);
  if (!account?.enabled) throw signInRefused('The link was used before, or has expired');
  checkNewPassword(password, [account.name, account.email, account.username]);
  const replacement = await hashPassword(password);
  await site.database.transaction(async (connection) => {
    await requireUnchanged(connection, account.name, undefined);
    if (!(await takeToken(connection, 'reset', key)))
      throw signInRefused('The link was used before, or has expired');
    await replacePassword(connection, account.name, replacement);
    const ctx = {
      site,
      db: connection,
      user: account,
      origin: { ...provenanceOf(request), credential: 'mail' },
    };
    await audit(ctx, { event: 'password_changed', doctype: 'User', name: account.name });
  });
}
