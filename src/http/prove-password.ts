import type { FastifyRequest } from 'fastify';
import { auditApart } from '../access/audit-apart.ts';
import { digestSecret } from '../access/digest.ts';
import { hashPassword, needsRehash, verifyPassword } from '../access/password.ts';
import { type Attempt, beginAttempt } from '../access/throttle.ts';
import { sql } from '../db/sql.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { OpenSite } from '../site/open-site.ts';
import { originOf } from './origin.ts';
import { type Account, findAccount } from './sign-in.ts';

/** A password that was right. */
export interface Proof {
  readonly account: Account;
  /** The hash as it is stored now. */
  readonly hash: string;
  readonly attempt: Attempt;
}

/**
 * Verifies a password, counting failures for the account, found or not, and the address. One answer, after the same work, for
 * a wrong password, an unknown user and a disabled one.
 * @throws ServiceError AuthenticationError; TooManyRequestsError, ServiceUnavailableError with `Retry-After`
 */
export async function provePassword(
  site: OpenSite,
  request: FastifyRequest,
  usr: string,
  pwd: string,
): Promise<Proof> {
  const account = await findAccount(site, usr);
  const attempt = await countAttempt(site, request, account?.name ?? usr);
  let fits: boolean;
  let hash = account?.hash ?? null;
  try {
    fits = await verifyPassword(pwd, hash);
    if (fits && hash !== null && needsRehash(hash)) hash = await hashAnew(site, account, pwd, hash);
  } catch (error) {
    await site.database.transaction((connection) => attempt.undecided(connection));
    throw error;
  }
  if (!fits || !account?.enabled || hash === null) {
    await attempt.failed();
    tellFailure(site, request, account?.name ?? '');
    throw refused('Invalid login credentials');
  }
  return { account, hash, attempt };
}

/**
 * Counts one try to prove to be this user, however the name was typed.
 * @throws ServiceError TooManyRequestsError, RateLimitExceededError, ServiceUnavailableError, all with `Retry-After`
 */
export async function countAttempt(site: OpenSite, request: FastifyRequest, name: string): Promise<Attempt> {
  request.spend(1, 'logins');
  await request.admit('login');
  const policy = { attempts: site.settings.loginAttempts, delay: site.settings.loginDelay };
  return beginAttempt(site.database, site.clock, policy, canonical(name), request.ip);
}

/** Tells the audit log of a login that failed; `user` is empty for somebody unknown. Not awaited: the time would tell. */
export function tellFailure(site: OpenSite, request: FastifyRequest, user: string): void {
  void auditApart(site, { ...originOf(request), credential: 'password' }, { event: 'login_failed', user });
}

/** Begins a session, and tells the audit log of the refusal of who has proved the password: by a rule, or a wrong code. */
export async function tellingRefusal<T>(
  site: OpenSite,
  request: FastifyRequest,
  user: string,
  begin: () => Promise<T>,
): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'AuthenticationError')
      tellFailure(site, request, user);
    throw error;
  }
}

/** Refuses credentials that are limited: they do not manage the account. @throws ServiceError PermissionError */
export function requireWholeUser({ user }: FastifyRequest): void {
  if (user.scope === null) return;
  throw new ServiceError('PermissionError', 'A limited API key does not manage the account', {
    title: 'Not permitted',
  });
}

function canonical(name: string): string {
  const text = name.normalize('NFKC').trim().toLowerCase();
  // What is counted has a size, whatever was sent.
  return text.length > 300 ? digestSecret(text) : text;
}

async function hashAnew(
  site: OpenSite,
  account: Account | null,
  pwd: string,
  before: string,
): Promise<string> {
  const hash = await hashPassword(pwd);
  const changed = await site.database.transaction((connection) =>
    connection.run(
      sql`update "_password" set "hash" = ${hash} where "user" = ${account?.name ?? ''} and "hash" = ${before}`,
    ),
  );
  return changed === 1 ? hash : before;
}

/** Not signed in. */
export function refused(message: string): ServiceError {
  return new ServiceError('AuthenticationError', message);
}
