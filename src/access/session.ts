import type { Connection } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Random, systemRandom } from '../kernel/random.ts';
import { digestSecret, sameDigest } from './digest.ts';

/** When sessions end, milliseconds: so long unused, and so long after they began. */
export interface SessionPolicy {
  readonly idle: number;
  readonly life: number;
}

/** Unless the settings say otherwise. */
export const USUAL_SESSIONS: SessionPolicy = { idle: LIMITS.sessionIdle, life: LIMITS.sessionLife };

/** What a session is begun with. */
export interface SessionStart {
  /** From where, for the user to recognise; never to decide by. */
  readonly address?: string | null;
  readonly userAgent?: string | null;
  /** Digest of the secret of the API key that it is begun with. */
  readonly keyDigest?: string | null;
  readonly policy?: SessionPolicy;
  /** How many of this user there may be; the ones used longest ago end. 0: as many as the limit. */
  readonly most?: number;
}

export interface StartedSession {
  /** 256 random bits in hexadecimal: the cookie. Only its digest is stored. */
  readonly sid: string;
  /** What the browser must send back in `X-Frappe-CSRF-Token`. Of this, too, only the digest is stored. */
  readonly csrfToken: string;
}

/** Starts a session for a user who has just proved who they are. Forget cached verdicts after the commit. */
export async function startSession(
  connection: Connection,
  clock: Clock,
  user: string,
  random: Random = systemRandom(),
  start: SessionStart = {},
): Promise<StartedSession> {
  const sid = random.bytes(32).toString('hex');
  const csrfToken = csrfTokenOf(sid);
  const now = nowMillis(clock);
  const { idle, life } = start.policy ?? USUAL_SESSIONS;
  // Ended sessions of the same user are cleared on the way, so the table stays as small as its use.
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

/** The CSRF token of a session: whoever has the cookie's value can make it, and nobody else. */
export function csrfTokenOf(sid: string): string {
  return digestSecret(`csrf token of ${sid}`);
}

/**
 * A condition on sessions `s`: one that was begun with an API key lives as long as its secret does, and the key is as unlimited
 * as it was then.
 */
export function keyStands(now: number): Sql {
  return sql`("s"."key_digest" is null or exists (
    select 1 from "_api_key" as "k" where "k"."user" = "s"."user" and "k"."enabled" = 1
      and ("k"."secret_digest" = "s"."key_digest" or ("k"."old_digest" = "s"."key_digest" and "k"."old_until" > ${now}))
      and "k"."expires_at" = 0 and "k"."read_only" = 0
      and "k"."doctypes" is null and "k"."methods" is null and "k"."addresses" is null))`;
}

/** Ends one session; unknown ones are no error. Forget cached verdicts after the commit. */
export async function endSession(connection: Connection, sid: string): Promise<void> {
  await connection.run(sql`delete from "_session" where "digest" = ${digestSecret(sid)}`);
}

/**
 * Ends every session of a user, but for the one of the cookie `keep`: password changed, user disabled. Resolves to how many.
 * Forget cached verdicts after the commit.
 */
export function endSessionsOf(
  connection: Connection,
  user: string,
  keep: string | null = null,
): Promise<number> {
  const kept = keep === null ? '' : digestSecret(keep);
  return connection.run(sql`delete from "_session" where "user" = ${user} and "digest" <> ${kept}`);
}

/** Deletes sessions that have ended, at most `batch`. Resolves to how many. */
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

/** A session as its user may see it. */
export interface SessionSummary {
  /** Names the session, and opens nothing. */
  readonly id: string;
  /** Milliseconds since the epoch; `lastUsed` to some minutes. */
  readonly created: number;
  readonly lastUsed: number;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly isCurrent: boolean;
}

/** The living sessions of a user, the newest first. `current` is the cookie of whoever asks. */
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

/** Ends the session of a user that has this id. Resolves to whether there was one. Forget cached verdicts after the commit. */
export async function endSessionById(connection: Connection, user: string, id: string): Promise<boolean> {
  const ended = await connection.run(
    sql`delete from "_session" where "user" = ${user} and substr("digest", 1, ${ID_LENGTH}) = ${id}`,
  );
  return ended > 0;
}

// Part of the digest: enough to tell sessions apart, and of no use where the digest would be.
const ID_LENGTH = 20;

function idOf(digest: string): string {
  return digest.slice(0, ID_LENGTH);
}

/** Compares a CSRF token with the digest of the session's, in constant time. */
export function isCsrfToken(sent: string, digest: string): boolean {
  return sameDigest(digestSecret(sent), digest);
}
