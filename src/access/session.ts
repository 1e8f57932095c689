import type { Connection } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Random, systemRandom } from '../kernel/random.ts';
import { digestSecret, sameDigest } from './digest.ts';

/** Idle timeout and maximum age of sessions, milliseconds. */
export interface SessionPolicy {
  readonly idle: number;
  readonly life: number;
}

/** The defaults of the settings. */
export const USUAL_SESSIONS: SessionPolicy = { idle: LIMITS.sessionIdle, life: LIMITS.sessionLife };

export interface SessionStart {
  /** The client's address, shown to the user and never used for decisions. */
  readonly address?: string | null;
  readonly userAgent?: string | null;
  /** Digest of the secret of the API key that began the session. */
  readonly keyDigest?: string | null;
  readonly policy?: SessionPolicy;
  /** Sessions that the user may have; the least recently used ones end. 0: the limit. */
  readonly most?: number;
}

export interface StartedSession {
  /** 256 random bits in hexadecimal: the cookie. Only the digest is stored. */
  readonly sid: string;
  /** The value that the browser must send in `X-Frappe-CSRF-Token`. Only its digest is stored, too. */
  readonly csrfToken: string;
}

/** Starts a session for a user who has just authenticated. Forget cached verdicts after the commit. */
export async function startSession(
  connection: Connection,
  clock: Clock,
  user: string,
  random: Random = systemRandom(),
  start: SessionStart = {},
): Promise<StartedSession> {
  const sid = random.bytes(32).toString('hex');
  const csrfToken = csrfTokenOf(sid);
  connection.spendReserve?.();
  const now = nowMillis(clock);
  const { idle, life } = start.policy ?? USUAL_SESSIONS;
  // Also deletes the user's ended sessions, so that the table stays small.
  await connection.run(sql`
    delete from "_session" where "user" = ${user}
      and ("last_used_at" <= ${now - idle} or "created_at" <= ${now - life})`);
  const most = Math.min(start.most || LIMITS.sessionsPerUser, LIMITS.sessionsPerUser);
  await connection.run(sql`
    delete from "_session" where "user" = ${user} and "digest" not in (
      select "digest" from "_session" where "user" = ${user}
        order by "last_used_at" desc, "created_at" desc, "digest" limit ${most - 1})`);
  await connection.run(sql`
    insert into "_session" ("digest", "user", "csrf_token", "created_at", "last_used_at", "address", "user_agent", "key_digest")
    values (${digestSecret(sid)}, ${user}, ${digestSecret(csrfToken)}, ${now}, ${now},
      ${start.address ?? null}, ${start.userAgent?.slice(0, LIMITS.userAgentLength) ?? null}, ${start.keyDigest ?? null})`);
  return { sid, csrfToken };
}

/** The CSRF token of a session. Only the holder of the cookie can compute it. */
export function csrfTokenOf(sid: string): string {
  return digestSecret(`csrf token of ${sid}`);
}

/**
 * A condition on sessions `s`. A session begun with an API key ends with the key's secret, and when the key
 * becomes limited.
 */
export function keyStands(now: number): Sql {
  return sql`("s"."key_digest" is null or exists (
    select 1 from "_api_key" as "k" where "k"."user" = "s"."user" and "k"."enabled" = 1
      and ("k"."secret_digest" = "s"."key_digest" or ("k"."old_digest" = "s"."key_digest" and "k"."old_until" > ${now}))
      and "k"."expires_at" = 0 and "k"."read_only" = 0
      and "k"."doctypes" is null and "k"."methods" is null and "k"."addresses" is null))`;
}

/** Ends one session. An unknown session is no error. Forget cached verdicts after the commit. */
export async function endSession(connection: Connection, sid: string): Promise<void> {
  await connection.run(sql`delete from "_session" where "digest" = ${digestSecret(sid)}`);
}

/**
 * Ends every session of a user except the session of the cookie `keep`, after a password change or when the
 * user is disabled. Resolves to their number. Forget cached verdicts after the commit.
 */
export function endSessionsOf(
  connection: Connection,
  user: string,
  keep: string | null = null,
): Promise<number> {
  const kept = keep === null ? '' : digestSecret(keep);
  return connection.run(sql`delete from "_session" where "user" = ${user} and "digest" <> ${kept}`);
}

/** Deletes at most `batch` ended sessions. Resolves to their number. */
export function pruneSessions(
  connection: Connection,
  clock: Clock,
  batch: number,
  { idle, life }: SessionPolicy,
): Promise<number> {
  const now = nowMillis(clock);
  return connection.run(
    sql`delete from "_session" where "digest" in (select "digest" from "_session"
          where "last_used_at" <= ${now - idle} or "created_at" <= ${now - life} limit ${batch})`,
  );
}

/** A session as shown to its user. */
export interface SessionSummary {
  /** Identifies the session and grants no access. */
  readonly id: string;
  /** Milliseconds since the epoch. `lastUsed` is accurate to some minutes. */
  readonly created: number;
  readonly lastUsed: number;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly isCurrent: boolean;
}

/** The active sessions of a user, newest first. `current` is the caller's cookie. */
export async function listSessions(
  connection: Connection,
  clock: Clock,
  user: string,
  current: string | null,
  policy: SessionPolicy = USUAL_SESSIONS,
): Promise<readonly SessionSummary[]> {
  const now = nowMillis(clock);
  const rows = await connection.all(
    sql`select "digest", "created_at", "last_used_at", "address", "user_agent" from "_session" as "s"
        where ${keyStands(now)} and "user" = ${user} and "last_used_at" > ${now - policy.idle} and "created_at" > ${now - policy.life}
        order by "created_at" desc, "digest"`,
  );
  const own = current === null ? '' : digestSecret(current);
  return rows.map((row) => ({
    id: idOf(String(row['digest'])),
    created: Number(row['created_at']),
    lastUsed: Number(row['last_used_at']),
    address: row['address'] === null ? null : String(row['address']),
    userAgent: row['user_agent'] === null ? null : String(row['user_agent']),
    isCurrent: row['digest'] === own,
  }));
}

/**
 * Ends the user's session with this id. Resolves to whether it existed. Forget cached verdicts after the
 * commit.
 */
export async function endSessionById(connection: Connection, user: string, id: string): Promise<boolean> {
  const ended = await connection.run(
    sql`delete from "_session" where "user" = ${user} and substr("digest", 1, ${ID_LENGTH}) = ${id}`,
  );
  return ended > 0;
}

// Part of the digest: enough to tell sessions apart, and useless as a digest.
const ID_LENGTH = 20;

function idOf(digest: string): string {
  return digest.slice(0, ID_LENGTH);
}

/**
 * A CSRF token as a reply shows it: other bytes in each reply, so that the length of a compressed reply tells
 * nothing about it.
 */
export function maskedToken(token: string, random: Random): string {
  const mask = random.bytes(token.length / 2);
  return mask.toString('hex') + xor(Buffer.from(token, 'hex'), mask).toString('hex');
}

/** Compares a CSRF token, masked or not, with the session's digest in constant time. */
export function isCsrfToken(sent: string, digest: string): boolean {
  return sameDigest(digestSecret(unmasked(sent)), digest);
}

function unmasked(sent: string): string {
  if (!/^[0-9a-f]{128}$/.test(sent)) return sent;
  const bytes = Buffer.from(sent, 'hex');
  return xor(bytes.subarray(0, 32), bytes.subarray(32)).toString('hex');
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));
}
