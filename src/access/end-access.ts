import type { Connection } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';

/** The credentials of a site that work at one moment. */
export interface Credentials {
  /** The names of enabled users. */
  readonly users: ReadonlySet<string>;
  /** Enabled API keys, with the digests of their secrets. */
  readonly keys: ReadonlyMap<string, string>;
  /** Digests of recovery codes that are not used up. */
  readonly recoveryCodes: ReadonlySet<string>;
}

/** An API key and its user; no secret. */
export interface KeyOfUser {
  readonly key: string;
  readonly user: string;
  readonly label: string;
}

/** What a restore has turned off. */
export interface TurnedOff {
  readonly users: readonly string[];
  readonly keys: readonly KeyOfUser[];
}

/** The credentials that work now. */
export async function readCredentials(connection: Connection): Promise<Credentials> {
  const users = await connection.all(sql`select "name" from "User" where "enabled" = 1`);
  const keys = await connection.all(
    sql`select "api_key", "secret_digest" from "_api_key" where "enabled" = 1`,
  );
  const codes = await connection.all(sql`select "digest" from "_recovery_code"`);
  return {
    users: new Set(users.map((row) => String(row['name']))),
    keys: new Map(keys.map((row) => [String(row['api_key']), String(row['secret_digest'])])),
    recoveryCodes: new Set(codes.map((row) => String(row['digest']))),
  };
}

/** Users that every site needs, so that nobody can disable them. */
const ALWAYS: readonly string[] = ['Administrator', 'Guest'];
const BATCH = 500;

/**
 * Turns off what works now and no longer worked `later`: users who were disabled, renamed or deleted, keys that were
 * revoked or got another secret, used recovery codes.
 */
export async function turnOffRevoked(
  connection: Connection,
  later: Credentials,
  modified: string,
): Promise<TurnedOff> {
  const now = await readCredentials(connection);
  const users = [...now.users].filter((user) => !later.users.has(user) && !ALWAYS.includes(user)).sort();
  const keys = [...now.keys].filter(([key, digest]) => later.keys.get(key) !== digest).map(([key]) => key);
  const codes = [...now.recoveryCodes].filter((code) => !later.recoveryCodes.has(code));
  const found: KeyOfUser[] = [];
  for (const some of batches(users)) {
    await connection.run(
      sql`update "User" set "enabled" = 0, "modified" = ${modified}, "_revision" = "_revision" + 1 where "name" in (${some})`,
    );
  }
  for (const some of batches(keys)) {
    const rows = await connection.all(
      sql`update "_api_key" set "enabled" = 0, "modified" = ${modified} where "api_key" in (${some})
          returning "api_key", "user", "label"`,
    );
    found.push(
      ...rows.map((row) => ({
        key: String(row['api_key']),
        user: String(row['user']),
        label: String(row['label'] ?? ''),
      })),
    );
  }
  for (const some of batches(codes)) {
    await connection.run(sql`delete from "_recovery_code" where "digest" in (${some})`);
  }
  return { users, keys: found.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

/**
 * Ends all sessions, grants of clients, and tokens of mails. A code of an app that may have been used already is not
 * accepted again.
 */
export async function endAllAccess(connection: Connection, now: number): Promise<void> {
  for (const table of [sql`"_session"`, sql`"_oauth_grant"`, sql`"_token"`]) {
    await connection.run(sql`delete from ${table}`);
  }
  // Codes are for half a minute, and the next one is accepted, too.
  const step = Math.floor(now / 30_000) + 1;
  await connection.run(sql`update "_second_factor" set "last_step" = ${step} where "last_step" < ${step}`);
}

function* batches(names: readonly string[]) {
  for (let start = 0; start < names.length; start += BATCH) {
    yield join(names.slice(start, start + BATCH).map((name) => sql`${name}`));
  }
}
