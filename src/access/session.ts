import { timingSafeEqual } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { ident, sql } from '../db/sql.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Random, systemRandom } from '../kernel/random.ts';
import { digestSecret } from './api-key.ts';

/** Milliseconds: unused for a day, or older than thirty days, a session ends. */
export const SESSION_IDLE = 24 * 60 * 60 * 1000;
export const SESSION_LIFE = 30 * 24 * 60 * 60 * 1000;

export interface StartedSession {
  /** 256 random bits in hexadecimal: the cookie. Only its digest is stored. */
  readonly sid: string;
  /** What the browser must send back in `X-Frappe-CSRF-Token`. Of this, too, only the digest is stored. */
  readonly csrfToken: string;
}

/** Starts a session for a user who has just proved who they are. */
export async function startSession(
  connection: Connection,
  clock: Clock,
  user: string,
  random: Random = systemRandom(),
): Promise<StartedSession> {
  const sid = random.bytes(32).toString('hex');
  const csrfToken = csrfTokenOf(sid);
  const now = Math.floor(clock.micros() / 1000);
  // Ended sessions of the same user are cleared on the way, so the table stays as small as its use.
  await connection.run(sql`
    delete from ${ident('_session')} where ${ident('user')} = ${user}
      and (${ident('last_used_at')} <= ${now - SESSION_IDLE} or ${ident('created_at')} <= ${now - SESSION_LIFE})`);
  await connection.run(sql`
    insert into ${ident('_session')} (${ident('digest')}, ${ident('user')}, ${ident('csrf_token')},
      ${ident('created_at')}, ${ident('last_used_at')})
    values (${digestSecret(sid)}, ${user}, ${digestSecret(csrfToken)}, ${now}, ${now})`);
  return { sid, csrfToken };
}

/** The CSRF token of a session: whoever has the cookie's value can make it, and nobody else. */
export function csrfTokenOf(sid: string): string {
  return digestSecret(`csrf token of ${sid}`);
}

/** Ends one session; unknown ones are no error. Forget cached verdicts after the commit. */
export async function endSession(connection: Connection, sid: string): Promise<void> {
  await connection.run(sql`delete from ${ident('_session')} where ${ident('digest')} = ${digestSecret(sid)}`);
}

/** Ends every session of a user: password changed, user disabled. Forget cached verdicts after the commit. */
export async function endSessionsOf(connection: Connection, user: string): Promise<void> {
  await connection.run(sql`delete from ${ident('_session')} where ${ident('user')} = ${user}`);
}

/** Compares a CSRF token with the digest of the session's, in constant time. */
export function isCsrfToken(sent: string, digest: string): boolean {
  const stored = Buffer.from(digest);
  return stored.length === 64 && timingSafeEqual(Buffer.from(digestSecret(sent)), stored);
}
