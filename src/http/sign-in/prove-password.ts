import type { FastifyRequest } from 'fastify';
import { auditApart } from '../../access/audit-apart.ts';
import { digestSecret } from '../../access/digest.ts';
import { hashPassword, needsRehash, verifyPassword } from '../../access/password.ts';
import { signInRefused } from '../../access/sign-in-rules.ts';
import { beginAttempt, type SignInAttempt } from '../../access/throttle.ts';
import { sql } from '../../db/sql.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { type Account, findAccount } from './sign-in.ts';

/** A correct password. */
export interface Proof {
  readonly account: Account;
  /** The stored hash. */
  readonly hash: string;
  readonly attempt: SignInAttempt;
}

/**
 * Verifies a password. Counts failures per account, existing or not, and per address. A wrong password, an
 * unknown user and a disabled one get the same answer after the same work.
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
    throw signInRefused('Invalid login credentials');
  }
  return { account, hash, attempt };
}

/**
 * Counts one sign-in attempt for this user, in any spelling of the name.
 * @throws ServiceError TooManyRequestsError, RateLimitExceededError, ServiceUnavailableError, all with
 * `Retry-After`
 */
export async function countAttempt(
  site: OpenSite,
  request: FastifyRequest,
  name: string,
): Promise<SignInAttempt> {
  request.spend(1, 'logins');
  await request.admit('login');
  const policy = { attempts: site.settings.loginAttempts, delay: site.settings.loginDelay };
  return beginAttempt(site.database, site.clock, policy, canonical(name), request.ip);
}

/**
 * Writes a failed login to the audit log; `user` is empty for an unknown user. Not awaited: the delay would
 * reveal something.
 */
export function tellFailure(site: OpenSite, request: FastifyRequest, user: string): void {
  void auditApart(
    site,
    { ...provenanceOf(request), credential: 'password' },
    { event: 'login_failed', user },
  );
}

/**
 * Begins a session. When a rule or a wrong code refuses a user who has proved the password, the audit log
 * records it.
 */
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

function canonical(name: string): string {
  const text = name.normalize('NFKC').trim().toLowerCase();
  // Bounds the size of the counter's key.
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
