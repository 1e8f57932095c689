import { digestSecret } from '../../access/digest.ts';
import { signInRefused } from '../../access/sign-in-rules.ts';
import type { CurrentUser } from '../../access/user.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type ArgumentValues, TEXT } from '../../operation/arguments.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { requireOwnPage } from '../caller/identify.ts';
import type { HttpCall } from '../http-call.ts';
import { isCodeNeeded } from './login-code.ts';
import { countAttempt, tellFailure, tellingRefusal } from './prove-password.ts';
import { type Account, answerSession, beginSession, findAccount } from './sign-in.ts';

const ARGUMENTS = { api_key: TEXT, api_secret: TEXT };

/** Signing in with an API key instead of a password. */
export const keyLoginOperations: readonly Operation<HttpCall>[] = [
  /**
   * A session for a key, so that a browser need not store the secret. It ends when the secret does. A limited
   * key cannot begin a session, nor can a key whose user needs a second factor: a session must not grant more
   * than its key.
   */
  defineOperation({
    name: 'chancery.auth.login_with_key',
    summary: 'Sign in with an unlimited API key and get cookies',
    effect: 'write',
    confidential: true,
    access: 'guest',
    transaction: 'own',
    http: ['POST'],
    args: ARGUMENTS,
    result: { type: 'string' },
    run: (_ctx, args, call: HttpCall) => loginWithKey(args, call),
  }),
];

async function loginWithKey(args: ArgumentValues<typeof ARGUMENTS>, call: HttpCall): Promise<string> {
  const { site, request, reply } = call;
  requireOwnPage(request, site.settings.allowedOrigins);
  const [key, secret] = [args.api_key.trim(), args.api_secret.trim()];
  const attempt = await countAttempt(site, request, `api key ${key}`);
  const user = await ownerOf(call, key, secret);
  const account = user && (await findAccount(site, user.name));
  if (!user || !account) {
    await attempt.failed();
    tellFailure(site, request, '');
    throw signInRefused('Invalid API key or secret');
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
  const { message, ...more } = await answerSession(site, request, reply, account, sid);
  Object.assign(call.more, more);
  return message;
}

async function ownerOf(
  { site, request }: HttpCall,
  key: string,
  secret: string,
): Promise<CurrentUser | null> {
  // A key must fit into a header.
  if (!/^[^\s:]{1,200}$/.test(key) || !/^[\x21-\x7e]{1,600}$/.test(secret)) return null;
  try {
    return await site.authenticator.fromHeader(`token ${key}:${secret}`, request.ip);
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'AuthenticationError') return null;
    throw error;
  }
}

async function requireWhole(call: HttpCall, user: CurrentUser, account: Account): Promise<void> {
  const problem =
    user.scope !== null
      ? 'A limited API key does not sign in'
      : (await isCodeNeeded(call, account))
        ? 'Users with a second factor sign in with their password'
        : null;
  if (problem !== null) throw new ServiceError('PermissionError', problem, { title: 'Not permitted' });
}
