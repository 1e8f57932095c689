import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type Clock, nowMillis } from '../kernel/clock.ts';
import type { Random } from '../kernel/random.ts';
import { digestSecret } from './digest.ts';

/** The purpose of a token: the second step of a login, or a password reset. */
export type TokenKind = 'login' | 'reset';

/** Makes a token of 256 random bits in hexadecimal and stores only its digest. `life` in milliseconds. */
export async function makeToken(
  connection: Connection,
  clock: Clock,
  random: Random,
  token: { readonly kind: TokenKind; readonly user: string; readonly life: number },
): Promise<string> {
  const secret = random.bytes(32).toString('hex');
  const expires = nowMillis(clock) + token.life;
  await connection.run(
    sql`insert into "_token" ("digest", "kind", "user", "expires_at")
        values (${digestOf(token.kind, secret)}, ${token.kind}, ${token.user}, ${expires})`,
  );
  return secret;
}

/** The user of a token; null when it is unknown, used or expired. Does not use it up. */
export async function findToken(
  connection: Connection,
  clock: Clock,
  kind: TokenKind,
  secret: string,
): Promise<string | null> {
  const now = nowMillis(clock);
  const row = await connection.get(
    sql`select "user" from "_token" where "digest" = ${digestOf(kind, secret)} and "kind" = ${kind} and "expires_at" > ${now}`,
  );
  return row ? String(row['user']) : null;
}

/** Uses up a token. True for exactly one caller. */
export async function takeToken(connection: Connection, kind: TokenKind, secret: string): Promise<boolean> {
  return (await connection.run(sql`delete from "_token" where "digest" = ${digestOf(kind, secret)}`)) === 1;
}

/** Deletes a user's tokens of one kind, or of all kinds. */
export async function dropTokens(connection: Connection, user: string, kind?: TokenKind): Promise<void> {
  if (kind) await connection.run(sql`delete from "_token" where "user" = ${user} and "kind" = ${kind}`);
  else await connection.run(sql`delete from "_token" where "user" = ${user}`);
}

/** Deletes at most `batch` expired tokens. Resolves to their number. */
export function pruneTokens(connection: Connection, clock: Clock, batch: number): Promise<number> {
  const now = nowMillis(clock);
  return connection.run(
    sql`delete from "_token" where "digest" in
          (select "digest" from "_token" where "expires_at" <= ${now} limit ${batch})`,
  );
}

function digestOf(kind: TokenKind, secret: string): string {
  return digestSecret(`${kind} token ${secret}`);
}
