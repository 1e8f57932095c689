import { timingSafeEqual } from 'node:crypto';
import type { Connection, Database, Row } from '../db/database.ts';
import { ident, type Sql, sql } from '../db/sql.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Observer } from '../kernel/observation.ts';
import { digestSecret } from './api-key.ts';
import { type Grants, loadGrants } from './grants.ts';
import { SESSION_IDLE, SESSION_LIFE } from './session.ts';
import { type CurrentUser, currentUser, GUEST } from './user.ts';
import { VerdictCache } from './verdict-cache.ts';

/**
 * How long a verdict is trusted, microseconds. This node drops its verdicts at once through `forget`; other nodes
 * see a revoked key, a disabled user or a changed role after this time at the latest.
 */
const TRUSTED = 1_000_000;

// `last_used_at` decides about a day of idleness: writing it every ten minutes is exact enough.
const TOUCH_EVERY = 10 * 60 * 1000;

export interface SessionUser {
  readonly user: CurrentUser;
  /** Its digest. */
  readonly csrfToken: string;
}

export interface Authenticator {
  /**
   * Who an Authorization header names. A blank header is Guest.
   * Rejects with AuthenticationError (401) for anything else that does not authenticate.
   */
  fromHeader(authorization: string): Promise<CurrentUser>;
  /** Who a session cookie names; null when the session is unknown or ended, or its user disabled. */
  fromSession(sid: string): Promise<SessionUser | null>;
  /** Drops cached verdicts. Call after every commit that touched users, roles, keys or sessions. */
  forget(): void;
}

export interface AuthenticatorNeeds {
  readonly database: Database;
  readonly clock: Clock;
  /** The site's setting now; call `forget` when it changes. */
  strictUserPermissions(): boolean;
  readonly observe?: Observer;
}

export function createAuthenticator(needs: AuthenticatorNeeds): Authenticator {
  const { database, clock } = needs;
  const now = () => clock.micros();
  const keys = new VerdictCache<CurrentUser>(TRUSTED, now);
  const sessions = new VerdictCache<SessionUser>(TRUSTED, now);

  async function verifyKey(authorization: string, last: CurrentUser | null): Promise<CurrentUser | null> {
    const credentials = parseAuthorization(authorization);
    if (!credentials) return null;
    const rows = await database.reader.all(keyQuery(credentials.key));
    const stored = rows[0]?.secret_digest;
    const expected = typeof stored === 'string' ? stored : NO_DIGEST;
    const fits = sameDigest(digestSecret(credentials.secret), expected);
    return fits && typeof stored === 'string'
      ? userOf(database.reader, needs.strictUserPermissions(), rows, last)
      : null;
  }

  async function verifySession(sid: string, last: SessionUser | null): Promise<SessionUser | null> {
    const digest = digestSecret(sid);
    const rows = await database.reader.all(sessionQuery(digest));
    const row = rows[0];
    if (!row) return null;
    const millis = Math.floor(clock.micros() / 1000);
    const idle = millis - Number(row.last_used_at);
    if (idle >= SESSION_IDLE || millis - Number(row.created_at) >= SESSION_LIFE) return null;
    if (idle >= TOUCH_EVERY) await touch(digest, millis);
    const user = await userOf(database.reader, needs.strictUserPermissions(), rows, last?.user ?? null);
    return { user, csrfToken: String(row.csrf_token) };
  }

  // Best effort: a session that could not be touched is still a session.
  async function touch(digest: string, millis: number): Promise<void> {
    try {
      await database.transaction((connection) =>
        connection.run(sql`
          update ${ident('_session')} set ${ident('last_used_at')} = ${millis} where ${ident('digest')} = ${digest}`),
      );
    } catch (error) {
      needs.observe?.({ kind: 'unexpected', where: 'touching a session', error });
    }
  }

  return {
    async fromHeader(authorization) {
      const user = await keys.get(authorization, (last) => verifyKey(authorization, last));
      if (user) return user;
      if (authorization.trim() === '') return GUEST;
      throw new ServiceError('AuthenticationError', 'Invalid credentials');
    },
    fromSession: (sid) => sessions.get(sid, (last) => verifySession(sid, last)),
    forget() {
      keys.forget();
      sessions.forget();
    },
  };
}

interface Credentials {
  readonly key: string;
  readonly secret: string;
}

// `token key:secret` or `Basic base64(key:secret)`, the scheme in any case. OAuth's Bearer is no scheme of ours.
function parseAuthorization(authorization: string): Credentials | null {
  const match = /^\s*([A-Za-z]{1,20})\s+(\S{1,4096})\s*$/.exec(authorization);
  if (!match) return null;
  const [, scheme = '', given = ''] = match;
  if (scheme.toLowerCase() === 'token') return splitCredentials(given);
  if (scheme.toLowerCase() === 'basic')
    return splitCredentials(Buffer.from(given, 'base64').toString('utf8'));
  return null;
}

function splitCredentials(text: string): Credentials | null {
  const colon = text.indexOf(':');
  if (colon <= 0 || text.includes('\0')) return null;
  return { key: text.slice(0, colon), secret: text.slice(colon + 1) };
}

// An unknown key is compared too, with a digest that nothing has.
const NO_DIGEST = '0'.repeat(64);

function sameDigest(given: string, expected: string): boolean {
  const stored = Buffer.from(expected, 'latin1');
  return stored.length === 64 && timingSafeEqual(Buffer.from(given, 'latin1'), stored);
}

function keyQuery(key: string): Sql {
  const columns = sql`${ident('c')}.${ident('secret_digest')}`;
  return credentialQuery(
    '_api_key',
    columns,
    sql`${ident('c')}.${ident('api_key')} = ${key}
    and ${ident('c')}.${ident('enabled')} = 1`,
  );
}

function sessionQuery(digest: string): Sql {
  const columns = sql`${ident('c')}.${ident('csrf_token')}, ${ident('c')}.${ident('created_at')},
    ${ident('c')}.${ident('last_used_at')}`;
  return credentialQuery('_session', columns, sql`${ident('c')}.${ident('digest')} = ${digest}`);
}

// One row per enabled role of the credential's user, one with a null role when there is none, no row at all when
// the credential is unknown or its user disabled.
function credentialQuery(table: '_api_key' | '_session', columns: Sql, condition: Sql): Sql {
  return sql`
    select ${columns}, ${ident('u')}.${ident('name')} as ${ident('user')}, ${ident('u')}.${ident('user_type')}, ${ident('h')}.${ident('role')} as ${ident('role')}
    from ${ident(table)} as ${ident('c')}
    join ${ident('User')} as ${ident('u')} on ${ident('u')}.${ident('name')} = ${ident('c')}.${ident('user')}
      and ${ident('u')}.${ident('enabled')} = 1
    left join ${ident('Has Role')} as ${ident('h')} on ${ident('h')}.${ident('parent')} = ${ident('u')}.${ident('name')}
      and ${ident('h')}.${ident('parenttype')} = 'User'
      and exists (select 1 from ${ident('Role')} as ${ident('r')}
        where ${ident('r')}.${ident('name')} = ${ident('h')}.${ident('role')} and ${ident('r')}.${ident('disabled')} = 0)
    where ${condition}`;
}

// The same object as last time while nothing changed: permission decisions are cached by it and by its role set.
async function userOf(
  connection: Connection,
  strict: boolean,
  rows: readonly Row[],
  last: CurrentUser | null,
): Promise<CurrentUser> {
  const name = String(rows[0]?.user);
  const before: Grants | null = last?.name === name ? last.grants : null;
  const grants = name === 'Administrator' ? null : await loadGrants(connection, name, strict, before);
  const roles = rows.map((row) => row.role).filter((role) => typeof role === 'string');
  const user = currentUser(name, roles, { userType: String(rows[0]?.user_type), grants });
  if (last?.name !== name || last.grants !== grants || last.roles.size !== user.roles.size) return user;
  return [...user.roles].every((role) => last.roles.has(role)) ? last : user;
}
