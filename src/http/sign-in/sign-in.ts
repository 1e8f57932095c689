import type { FastifyReply, FastifyRequest } from 'fastify';
import { audit } from '../../access/audit.ts';
import { endSession, type SessionPolicy, startSession } from '../../access/session.ts';
import { requireSignInRules, signInRefused } from '../../access/sign-in-rules.ts';
import type { SignInAttempt } from '../../access/throttle.ts';
import { dropTokens } from '../../access/token.ts';
import { claimSite } from '../../access/unclaimed.ts';
import { canonicalUserName } from '../../access/user-name.ts';
import type { Connection } from '../../db/database.ts';
import { EMPTY, sql } from '../../db/sql.ts';
import { timestamp } from '../../document/context.ts';
import type { OpenSite } from '../../site/start/open-site.ts';
import { provenanceOf } from '../caller/provenance.ts';
import { setSessionCookies, sidOf } from '../caller/session-cookie.ts';

/** A user who may sign in. */
export interface Account {
  readonly name: string;
  readonly email: string;
  readonly username: string | null;
  readonly enabled: boolean;
  readonly fullName: string;
  readonly image: string;
  readonly language: string;
  readonly isWebsiteUser: boolean;
  readonly sessions: number;
  /** The hash of the password; null without one. */
  readonly hash: string | null;
}

/** The expiry rules of sessions on this site. */
export function sessionPolicy(site: OpenSite): SessionPolicy {
  return { idle: site.settings.sessionIdle, life: site.settings.sessionLife };
}

/** The account of a name, an email address, or, where the settings allow it, a username; null without one. */
export async function findAccount(site: OpenSite, given: string): Promise<Account | null> {
  if (given.includes('\0') || given.length > 300) return null;
  const usr = given.trim().normalize('NFC');
  const name = canonicalUserName(given);
  const byUsername = site.settings.loginByUsername ? sql` or "u"."username" = ${usr}` : EMPTY;
  const row = await site.database.reader.get(sql`
    select "u"."name", "u"."enabled", "u"."email", "u"."username", "u"."full_name", "u"."user_image", "u"."user_type", "u"."language",
      "u"."simultaneous_sessions", "p"."hash"
    from "User" as "u" left join "_password" as "p" on "p"."user" = "u"."name"
    where "u"."name" in (${usr}, ${name})${byUsername}
    order by "u"."name" = ${usr} desc, "u"."name" = ${name} desc
    limit 1`);
  if (!row) return null;
  const stored = String(row['name']);
  return {
    name: stored,
    email: String(row['email'] ?? ''),
    username: typeof row['username'] === 'string' ? row['username'] : null,
    enabled: row['enabled'] === 1,
    fullName: String(row['full_name'] ?? stored),
    image: String(row['user_image'] ?? ''),
    language: String(row['language'] ?? 'en'),
    isWebsiteUser: row['user_type'] === 'Website User',
    sessions: Number(row['simultaneous_sessions'] ?? 0),
    hash: typeof row['hash'] === 'string' ? row['hash'] : null,
  };
}

/** The proof of a sign-in. */
export interface SignInProof {
  /** The verified password hash, which must still be the stored one. */
  readonly hash?: string;
  readonly attempt?: SignInAttempt;
  /** Digest of an API key's secret: the session ends with it. */
  readonly keyDigest?: string;
  /** For the audit log; default: `password`. */
  readonly how?: string;
}

/**
 * Begins a session in the transaction of its proof, and ends the session of the request.
 * @throws ServiceError AuthenticationError when the account was disabled, or its password changed, meanwhile
 */
export async function beginSession(
  site: OpenSite,
  connection: Connection,
  request: FastifyRequest,
  account: Account,
  proof: SignInProof = {},
): Promise<string> {
  await requireUnchanged(connection, account.name, proof.hash);
  await requireSignInRules(connection, { user: account.name, address: request.ip, now: timestamp(site) });
  const before = sidOf(request);
  if (before !== null) await endSession(connection, before);
  await dropTokens(connection, account.name, 'reset');
  await proof.attempt?.succeeded(connection);
  await claimSite(connection);
  await connection.run(
    sql`update "User" set "last_login" = ${timestamp(site)}, "last_ip" = ${request.ip} where "name" = ${account.name}`,
  );
  const { sid } = await startSession(connection, site.clock, account.name, site.random, {
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    policy: sessionPolicy(site),
    most: account.sessions,
    keyDigest: proof.keyDigest ?? null,
  });
  const ctx = {
    site,
    db: connection,
    user: account,
    origin: { ...provenanceOf(request), credential: proof.how ?? 'password' },
  };
  await audit(ctx, { event: 'login', doctype: 'User', name: account.name });
  return sid;
}

/** The reply to a sign-in, after the commit. Resolves to its message on the wire. */
export async function answerSession(
  site: OpenSite,
  request: FastifyRequest,
  reply: FastifyReply,
  account: Account,
  sid: string,
): Promise<{ readonly message: string; readonly home_page: string; readonly full_name: string }> {
  await site.dropCaches('users');
  setSessionCookies(request, reply, {
    sid,
    system_user: account.isWebsiteUser ? 'no' : 'yes',
    full_name: account.fullName,
    user_id: account.name,
    user_image: account.image,
    user_lang: account.language,
  });
  return {
    message: account.isWebsiteUser ? 'No App' : 'Logged In',
    home_page: account.isWebsiteUser ? '/' : '/app',
    full_name: account.fullName,
  };
}

/**
 * Checks that the account may still sign in, with the password of this hash when one was verified. A
 * transaction that changes a password or disables a user ends the sessions that it sees; this transaction
 * waits for it.
 * @throws ServiceError AuthenticationError
 */
export async function requireUnchanged(
  connection: Connection,
  user: string,
  hash: string | undefined,
): Promise<void> {
  const lock = connection.dialect.name === 'postgres' ? sql` for update` : EMPTY;
  const account = await connection.get(sql`select "enabled" from "User" where "name" = ${user}${lock}`);
  const password =
    hash === undefined
      ? undefined
      : await connection.get(sql`select "hash" from "_password" where "user" = ${user}${lock}`);
  if (account?.['enabled'] !== 1 || password?.['hash'] !== hash) {
    throw signInRefused('Invalid login credentials');
  }
}
