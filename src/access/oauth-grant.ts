import { hash, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { EMPTY, sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Random } from '../kernel/random.ts';
import { digestSecret, sameDigest } from './digest.ts';

/**
 * A user's grant to a client. One row lasts from the code to the last refresh, so deleting it revokes
 * everything.
 */
export interface GrantRequest {
  /** Name of an OAuth Client. */
  readonly client: string;
  readonly user: string;
  /** Words separated by single spaces. */
  readonly scope: string;
  /** Destination of the code; the client must repeat it. */
  readonly redirectUri: string;
  /** PKCE's S256 challenge; null only for clients with a secret. */
  readonly challenge: string | null;
}

export interface IssuedTokens {
  /** 256 random bits in base64url, 43 characters. */
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scope: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** The outcome of redeeming a code or refresh token. Commit it in every case, because attempts count. */
export interface Outcome {
  /** Null: the code or token is invalid. */
  readonly tokens: IssuedTokens | null;
  /** The user whose grant ended because a single-use code or token was used again and so has leaked. */
  readonly endedOf: string | null;
}

const NOTHING: Outcome = { tokens: null, endedOf: null };

/** The grant behind a token. Times in milliseconds since the epoch. */
export interface Grant {
  readonly id: string;
  readonly client: string;
  readonly user: string;
  readonly scope: string;
  readonly createdAt: number;
  /** Expiry of the access token. */
  readonly expiresAt: number;
}

export interface GrantNeeds {
  readonly clock: Clock;
  readonly random: Random;
}

/** Stores a grant and resolves to its code. The client can redeem the code once, within a minute. */
export async function issueCode(
  connection: Connection,
  needs: GrantNeeds,
  request: GrantRequest,
): Promise<string> {
  const now = nowMillis(needs.clock);
  const id = needs.random.bytes(16).toString('base64url');
  const code = newToken(needs);
  await makeRoom(connection, request.user, now);
  await connection.run(sql`
    insert into "_oauth_grant" ("id", "client", "user", "scope", "redirect_uri", "challenge", "code_digest", "code_used",
      "created_at", "expires_at", "access_expires_at")
    values (${id}, ${request.client}, ${request.user}, ${request.scope}, ${request.redirectUri}, ${request.challenge},
      ${digestSecret(code)}, 0, ${now}, ${now + LIMITS.oauthCodeLife}, 0)`);
  return code;
}

// Deletes the user's ended grants, and the oldest ones beyond the limit.
async function makeRoom(connection: Connection, user: string, now: number): Promise<void> {
  await connection.run(sql`
    delete from "_oauth_grant" where "user" = ${user} and ("expires_at" <= ${now} or "id" not in (
      select "id" from "_oauth_grant" where "user" = ${user} and "expires_at" > ${now}
      order by "created_at" desc, "id" limit ${LIMITS.oauthGrantsPerUser - 1}))`);
}

export interface CodeRedemption {
  readonly code: string;
  readonly client: string;
  readonly redirectUri: string;
  /** PKCE's verifier; null when none was sent. */
  readonly verifier: string | null;
}

/**
 * Exchanges a code for tokens. A code allows one attempt, successful or not. A second attempt means that the
 * code has leaked, so its grant is revoked. Forget cached verdicts after the commit.
 */
export async function redeemCode(
  connection: Connection,
  needs: GrantNeeds,
  redemption: CodeRedemption,
): Promise<Outcome> {
  const row = await connection.get(
    sql`select * from "_oauth_grant" where "code_digest" = ${digestSecret(redemption.code)}${locked(connection)}`,
  );
  if (!row) return NOTHING;
  const id = String(row['id']);
  if (row['code_used'] === 1) {
    await endGrant(connection, id);
    return { tokens: null, endedOf: String(row['user']) };
  }
  await connection.run(sql`update "_oauth_grant" set "code_used" = 1 where "id" = ${id}`);
  const holds =
    Number(row['expires_at']) > nowMillis(needs.clock) &&
    row['client'] === redemption.client &&
    row['redirect_uri'] === redemption.redirectUri &&
    provesChallenge(row['challenge'], redemption.verifier) &&
    (await isEnabled(connection, String(row['user'])));
  return holds ? issueTokens(connection, needs, id, String(row['scope'])) : NOTHING;
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

// Also refuses a verifier without a challenge: someone removed the challenge from the client's request.
function provesChallenge(challenge: unknown, verifier: string | null): boolean {
  if (typeof challenge !== 'string') return verifier === null;
  if (verifier === null || !VERIFIER.test(verifier)) return false;
  return same(hash('sha256', verifier, 'base64url'), challenge);
}

/**
 * Exchanges a refresh token for new tokens. The refresh token and its access token become invalid. A second
 * use means that the token has leaked, so the grant ends. `scope` may narrow the grant, never widen it.
 * Forget cached verdicts after the commit.
 */
export async function refreshTokens(
  connection: Connection,
  needs: GrantNeeds,
  request: { readonly token: string; readonly client: string; readonly scope: string | null },
): Promise<Outcome> {
  const [id = '', secret = '', ...rest] = request.token.split('.');
  if (rest.length > 0) return NOTHING;
  const row = await connection.get(sql`select * from "_oauth_grant" where "id" = ${id}${locked(connection)}`);
  if (!row || row['client'] !== request.client || typeof row['refresh_digest'] !== 'string') return NOTHING;
  if (!sameDigest(digestSecret(secret), row['refresh_digest'])) {
    await endGrant(connection, id);
    return { tokens: null, endedOf: String(row['user']) };
  }
  const granted = String(row['scope']).split(' ');
  const scope = request.scope ?? String(row['scope']);
  const holds =
    Number(row['expires_at']) > nowMillis(needs.clock) &&
    scope.split(' ').every((word) => granted.includes(word)) &&
    (await isEnabled(connection, String(row['user'])));
  return holds ? issueTokens(connection, needs, id, scope) : NOTHING;
}

async function issueTokens(
  connection: Connection,
  needs: GrantNeeds,
  id: string,
  scope: string,
): Promise<Outcome> {
  const now = nowMillis(needs.clock);
  const accessToken = newToken(needs);
  const refreshSecret = newToken(needs);
  await connection.run(sql`
    update "_oauth_grant" set "scope" = ${scope}, "access_digest" = ${digestSecret(accessToken)},
      "access_expires_at" = ${now + LIMITS.oauthAccessLife}, "refresh_digest" = ${digestSecret(refreshSecret)},
      "expires_at" = ${now + LIMITS.oauthRefreshLife}
    where "id" = ${id}`);
  const expiresIn = Math.floor(LIMITS.oauthAccessLife / 1000);
  const tokens = { accessToken, refreshToken: `${id}.${refreshSecret}`, scope, expiresIn };
  return { tokens, endedOf: null };
}

/** The valid grant of an access or refresh token of this client; otherwise null. */
export async function findGrant(
  connection: Connection,
  clock: Clock,
  token: string,
  client: string,
): Promise<Grant | null> {
  const now = nowMillis(clock);
  const [id = '', secret = ''] = token.split('.');
  const row = await connection.get(sql`
    select "g".* from "_oauth_grant" as "g" join "User" as "u" on "u"."name" = "g"."user" and "u"."enabled" = 1
    where "g"."client" = ${client} and (
      ("g"."access_digest" = ${digestSecret(token)} and "g"."access_expires_at" > ${now}) or
      ("g"."id" = ${id} and "g"."refresh_digest" = ${digestSecret(secret)} and "g"."expires_at" > ${now}))`);
  if (!row) return null;
  const isAccess = secret === '';
  return {
    id: String(row['id']),
    client,
    user: String(row['user']),
    scope: String(row['scope']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row[isAccess ? 'access_expires_at' : 'expires_at']),
  };
}

/** Ends one grant and its tokens. Forget cached verdicts after the commit. */
export async function endGrant(connection: Connection, id: string): Promise<void> {
  await connection.run(sql`delete from "_oauth_grant" where "id" = ${id}`);
}

/** Ends all grants of a user. Forget cached verdicts after the commit. */
export async function endGrantsOf(connection: Connection, user: string): Promise<void> {
  await connection.run(sql`delete from "_oauth_grant" where "user" = ${user}`);
}

/** Ends all grants to a client. Forget cached verdicts after the commit. */
export async function endGrantsTo(connection: Connection, client: string): Promise<void> {
  await connection.run(sql`delete from "_oauth_grant" where "client" = ${client}`);
}

async function isEnabled(connection: Connection, user: string): Promise<boolean> {
  const row = await connection.get(sql`select "enabled" from "User" where "name" = ${user}`);
  return row?.['enabled'] === 1;
}

function locked(connection: Connection) {
  return connection.dialect.name === 'postgres' ? sql` for update` : EMPTY;
}

function newToken({ random }: GrantNeeds): string {
  return random.bytes(32).toString('base64url');
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Deletes at most `batch` ended grants. Resolves to their number. */
export function pruneGrants(connection: Connection, clock: Clock, batch: number): Promise<number> {
  const now = nowMillis(clock);
  return connection.run(
    sql`delete from "_oauth_grant" where "id" in
          (select "id" from "_oauth_grant" where "expires_at" <= ${now} limit ${batch})`,
  );
}
