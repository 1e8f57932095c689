import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { endGrantsOf } from './oauth-grant.ts';
import { endSessionsOf } from './session.ts';
import { forgetAttempts } from './throttle.ts';
import { dropTokens } from './token.ts';

/** Sets or replaces a user's password hash. */
export async function storePassword(connection: Connection, user: string, hash: string): Promise<void> {
  await connection.run(
    sql`insert into "_password" ("user", "hash") values (${user}, ${hash})
        on conflict ("user") do update set "hash" = excluded."hash"`,
  );
}

/**
 * Sets a user's new password. Ends all sessions and tokens of the old one, except the session of the cookie
 * `keep`. Forget cached verdicts after the commit.
 */
export async function replacePassword(
  connection: Connection,
  user: string,
  hash: string,
  keep: string | null = null,
): Promise<void> {
  await storePassword(connection, user, hash);
  await endSessionsOf(connection, user, keep);
  await endGrantsOf(connection, user);
  await dropTokens(connection, user);
  await forgetAttempts(connection, user);
}
