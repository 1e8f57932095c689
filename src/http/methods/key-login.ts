import { digestSecret } from '../../access/digest.ts';
import type { CurrentUser } from '../../access/user.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Arguments, textArgument } from '../arguments.ts';
import { requireOwnPage } from '../identify.ts';
import { countAttempt, refused, tellFailure, tellingRefusal } from '../prove-password.ts';
import { type Account, answerSession, beginSession, findAccount } from '../sign-in.ts';
import type { BuiltIns, Call } from './built-in.ts';
import { isCodeNeeded } from './login-code.ts';

/** Signing in with an API key instead of a password. */
export const keyLoginMethods: BuiltIns = {
  /**
   * A session for `api_key` and `api_secret`, so that a browser need not keep the secret. It ends when the secret does. A key that
   * is limited in any way begins none, nor does one of a user who needs a second factor: neither becomes more than it was.
   */
  'chancery.auth.login_with_key': {
    http: ['POST'],
    allowGuest: true,
    context: 'read',
    run: (_ctx, args, call) => loginWithKey(args, call),
  },
};

async function loginWithKey(args: Arguments, call: Call): Promise<string> {
  const { site, request, reply } = call;
  requireOwnPage(request, site.settings.allowedOrigins);
  const [key, secret] = [textArgument(args, 'api_key').trim(), textArgument(args, 'api_secret').trim()];
  const attempt = await countAttempt(site, request, `api key ${key}`);
  const user = await ownerOf(call, key, secret);
  const account = user && (await findAccount(site, user.name));
  if (!user || !account) {
    await attempt.failed();
    tellFailure(site, request, '');
    throw refused('Invalid API key or secret');
  }
  try {
    await requireWhole(call, user, account);
  } catch (error) {
    await site.database.transaction((connection) => attempt.undecided(connection));
    throw error;
  }
  const proof = { attempt, how: `key ${key}`, keyDigest: digestSecret(secret) };
  const sid = await tellingRefusal(site, request, account.name, () =>
    site.database.transaction((connection) => beginSession(site, connection, request, account, proof)),
  );
  const { message, ...more } = answerSession(site, request, reply, account, sid);
  Object.assign(call.more, more);
  return message;
}

async function ownerOf({ site, request }: Call, key: string, secret: string): Promise<CurrentUser | null> {
  // What a header could not carry is no key.
  if (!/^[^\s:]{1,200}$/.test(key) || !/^[\x21-\x7e]{1,600}$/.test(secret)) return null;
  try {
    return await site.authenticator.fromHeader(`token ${key}:${secret}`, request.ip);
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'AuthenticationError') return null;
    throw error;
  }
}

async function requireWhole(call: Call, user: CurrentUser, account: Account): Promise<void> {
  const problem =
    user.scope !== null
      ? 'A limited API key does not sign in'
      : (await isCodeNeeded(call, account))
        ? 'Users with a second factor sign in with their password'
        : null;
  if (problem !== null) throw new ServiceError('PermissionError', problem, { title: 'Not permitted' });
}
