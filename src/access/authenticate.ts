import type { Connection, Database, Row } from '../db/database.ts';
import { ident, type Sql, sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Observer } from '../kernel/observation.ts';
import { isListed } from './address-list.ts';
import { listFrom } from './api-key.ts';
import { digestSecret, sameDigest } from './digest.ts';
import { type Grants, loadGrants } from './grants.ts';
import { keyScope } from './key-scope.ts';
import { tokenScope } from './oauth-scope.ts';
import { keyStands, type SessionPolicy, USUAL_SESSIONS } from './session.ts';
import { claimSite } from './unclaimed.ts';
import type { KeyScope } from './user.ts';
import { type CurrentUser, currentUser, GUEST, rolesIn, type UserTraits } from './user.ts';
import { VerdictCache } from './verdict-cache.ts';

/**
 * Lifetime of a cached verdict, microseconds. `forget` drops this node's verdicts at once. Other nodes notice
 * a revoked key, a disabled user or a changed role after this time at the latest.
 */
const TRUSTED = 1_000_000;

// `last_used_at` measures idleness in days, so a write every ten minutes is exact enough.
const TOUCH_EVERY = 10 * 60 * 1000;

export interface SessionUser {
  readonly user: CurrentUser;
  /** Digest of the CSRF token. */
  readonly csrfToken: string;
}

export interface Authenticator {
  /**
   * Resolves to the user of an Authorization header sent from this IP address. A blank header is Guest.
   * Rejects with AuthenticationError (401) for invalid credentials.
   */
  fromHeader(authorization: string, address?: string): Promise<CurrentUser>;
  /** The same user while its verdict is cached; null when only `fromHeader` can tell. */
  cachedUser(authorization: string, address: string): CurrentUser | null;
  /** Resolves to the user of a session cookie, or null for an unknown or ended session or a disabled user. */
  fromSession(sid: string): Promise<SessionUser | null>;
  /** Drops cached verdicts. Call it after every commit that changed users, roles, keys or sessions. */
  forget(): void;
}

/** The verdict on a key and its secret. */
interface KeyVerdict {
  readonly user: CurrentUser;
  /** Addresses and CIDRs that may use the key; empty: any. */
  readonly addresses: readonly string[];
  /** Expiry, milliseconds since the epoch. */
  readonly until: number;
  /** Time of the last recorded use. */
  readonly touchedAt: number;
}

export interface AuthenticatorNeeds {
  readonly database: Database;
  readonly clock: Clock;
  /** The site's current setting. Call `forget` when it changes. */
  strictUserPermissions(): boolean;
  readonly observe?: Observer;
  /** When sessions expire. */
  readonly sessionPolicy?: () => SessionPolicy;
  /** Called when a valid key is used from an address outside its list. */
  readonly refused?: (user: CurrentUser, address: string) => void;
}

export function createAuthenticator(needs: AuthenticatorNeeds): Authenticator {
  const { database, clock } = needs;
  const now = () => clock.micros();
  const keys = new VerdictCache<KeyVerdict>(TRUSTED, now);
  const sessions = new VerdictCache<SessionUser>(TRUSTED, now);

  async function verifyKey(authorization: string, last: KeyVerdict | null): Promise<KeyVerdict | null> {
    const token = BEARER.exec(authorization)?.[1];
    if (token !== undefined) return verifyToken(token, last);
    const credentials = parseAuthorization(authorization);
    if (!credentials) return null;
    const rows = await database.reader.all(keyQuery(credentials.key));
    const row = rows[0];
    const digest = digestSecret(credentials.secret);
    // Always compares both secrets, so that the time reveals nothing.
    const isCurrent = sameDigest(digest, row?.secret_digest);
    const isFormer = sameDigest(digest, row?.old_digest);
    if (!row || (!isCurrent && !isFormer)) return null;
    const millis = nowMillis(clock);
    const until = endOf(row, isCurrent);
    if (until <= millis) return null;
    let touchedAt = Math.max(Number(row.last_used_at), last?.touchedAt ?? 0);
    if (millis - touchedAt >= TOUCH_EVERY) {
      touchedAt = millis;
      // No decision depends on this write, so no request waits for it.
      void recordUse(needs, '_api_key', sql`"api_key" = ${credentials.key}`, millis);
    }
    const strict = needs.strictUserPermissions();
    const signed = { scope: scopeOf(row), credential: credentials.key };
    const user = await userOf(database.reader, strict, rows, last?.user ?? null, signed);
    return { user, addresses: listFrom(row.addresses), until, touchedAt };
  }

  async function verifyToken(token: string, last: KeyVerdict | null): Promise<KeyVerdict | null> {
    const digest = digestSecret(token);
    const rows = await database.reader.all(tokenQuery(digest));
    const row = rows[0];
    const until = Number(row?.access_expires_at);
    if (!row || until <= nowMillis(clock)) return null;
    const signed = { scope: tokenScope(String(row.scope)), credential: `grant ${row.id}` };
    const strict = needs.strictUserPermissions();
    const user = await userOf(database.reader, strict, rows, last?.user ?? null, signed);
    return { user, addresses: [], until, touchedAt: 0 };
  }

  async function verifySession(sid: string, last: SessionUser | null): Promise<SessionUser | null> {
    const digest = digestSecret(sid);
    const rows = await database.reader.all(sessionQuery(digest, nowMillis(clock)));
    const row = rows[0];
    if (!row) return null;
    const millis = nowMillis(clock);
    const idle = millis - Number(row.last_used_at);
    const policy = needs.sessionPolicy?.() ?? USUAL_SESSIONS;
    if (idle >= policy.idle || millis - Number(row.created_at) >= policy.life) return null;
    if (idle >= Math.min(TOUCH_EVERY, policy.idle / 4)) {
      await recordUse(needs, '_session', sql`"digest" = ${digest}`, millis);
    }
    const user = await userOf(database.reader, needs.strictUserPermissions(), rows, last?.user ?? null);
    return { user, csrfToken: String(row.csrf_token) };
  }

  return {
    async fromHeader(authorization, address = '') {
      const verdict = await keys.get(authorization, (last) => verifyKey(authorization, last));
      const user = usableUser(verdict, clock, address);
      if (user) return user;
      if (verdict && !isFrom(verdict.addresses, address)) needs.refused?.(verdict.user, address);
      if (authorization.trim() === '') return GUEST;
      throw new ServiceError('AuthenticationError', 'Invalid credentials');
    },
    cachedUser: (authorization, address) => usableUser(keys.cached(authorization), clock, address),
    fromSession: (sid) => sessions.get(sid, (last) => verifySession(sid, last)),
    forget() {
      keys.forget();
      sessions.forget();
    },
  };
}

// Best effort: a failed write does not invalidate the use.
async function recordUse(
  { database, observe }: AuthenticatorNeeds,
  table: '_api_key' | '_session',
  condition: Sql,
  millis: number,
): Promise<void> {
  try {
    await database.transaction(async (connection) => {
      await connection.run(sql`update ${ident(table)} set "last_used_at" = ${millis} where ${condition}`);
      await claimSite(connection);
    });
  } catch (error) {
    observe?.({ kind: 'unexpected', where: `recording the last use of a row of ${table}`, error });
  }
}

function endOf(row: Row, isCurrent: boolean): number {
  const ofKey = Number(row['expires_at']) || Number.POSITIVE_INFINITY;
  return isCurrent ? ofKey : Math.min(ofKey, Number(row['old_until']));
}

// The key may have expired since the verdict was cached, or the request may come from another address.
function usableUser(verdict: KeyVerdict | null, clock: Clock, address: string): CurrentUser | null {
  if (verdict === null) return null;
  const { user, until, addresses } = verdict;
  return nowMillis(clock) < until && isFrom(addresses, address) ? user : null;
}

function isFrom(addresses: readonly string[], address: string): boolean {
  return addresses.length === 0 || isListed(addresses, address);
}

function scopeOf(row: Row): KeyScope | null {
  const { read_only: readOnly, doctypes, methods, addresses, expires_at: expiresAt } = row;
  if (readOnly === 0 && expiresAt === 0 && [doctypes, methods, addresses].every((list) => list === null)) {
    return null;
  }
  return keyScope(readOnly === 1, listFrom(doctypes), listFrom(methods));
}

interface Credentials {
  readonly key: string;
  readonly secret: string;
}

// An access token; see oauth-grant.ts.
const BEARER = /^\s*bearer\s+([A-Za-z0-9_-]{43})\s*$/i;

// `token key:secret` or `Basic base64(key:secret)`. The scheme is case-insensitive.
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

function keyQuery(key: string): Sql {
  return credentialQuery(
    '_api_key',
    sql`"c"."secret_digest", "c"."old_digest", "c"."old_until", "c"."expires_at", "c"."read_only",
      "c"."doctypes", "c"."methods", "c"."addresses", "c"."last_used_at"`,
    sql`"c"."api_key" = ${key} and "c"."enabled" = 1`,
  );
}

function tokenQuery(digest: string): Sql {
  const columns = sql`"c"."id", "c"."scope", "c"."access_expires_at"`;
  return credentialQuery(
    '_oauth_grant',
    columns,
    sql`"c"."access_digest" = ${digest}
    and exists (select 1 from "OAuth Client" as "o" where "o"."name" = "c"."client" and "o"."enabled" = 1)`,
  );
}

function sessionQuery(digest: string, now: number): Sql {
  const columns = sql`"c"."csrf_token", "c"."created_at", "c"."last_used_at"`;
  const lives = sql`exists (select 1 from "_session" as "s" where "s"."digest" = ${digest} and ${keyStands(now)})`;
  return credentialQuery('_session', columns, sql`"c"."digest" = ${digest} and ${lives}`);
}

// Gives one row per role of the credential's user, with null for a disabled one, one row with a null role when
// there is none, and no row for an unknown credential or a disabled user.
function credentialQuery(table: '_api_key' | '_session' | '_oauth_grant', columns: Sql, condition: Sql): Sql {
  return sql`
    select ${columns}, "u"."name" as "user", "r"."name" as "role", "r"."desk_access"
    from ${ident(table)} as "c"
    join "User" as "u" on "u"."name" = "c"."user" and "u"."enabled" = 1
    left join "Has Role" as "h" on "h"."parent" = "u"."name" and "h"."parenttype" = 'User'
    left join "Role" as "r" on "r"."name" = "h"."role" and "r"."disabled" = 0
    where ${condition}`;
}

// Returns the last object while nothing changed: permission decisions are cached by the user object and its
// role set.
async function userOf(
  connection: Connection,
  strict: boolean,
  rows: readonly Row[],
  last: CurrentUser | null,
  { scope = null, credential = null }: Pick<UserTraits, 'scope' | 'credential'> = {},
): Promise<CurrentUser> {
  const name = String(rows[0]?.user);
  const before: Grants | null = last?.name === name ? last.grants : null;
  const grants = name === 'Administrator' ? null : await loadGrants(connection, name, strict, before);
  const { roles, hasDesk } = rolesIn(name, rows);
  const user = currentUser(name, roles, { hasDesk, grants, scope, credential });
  if (last?.name !== name || last.grants !== grants || last.roles.size !== user.roles.size) return user;
  if (last.scope?.mark !== scope?.mark) return user;
  return [...user.roles].every((role) => last.roles.has(role)) ? last : user;
}
