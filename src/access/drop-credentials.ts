import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { dropIdentitiesOf } from './identity.ts';
import { endGrantsOf } from './oauth-grant.ts';
import { dropSecondFactor } from './second-factor.ts';
import { endSessionsOf } from './session.ts';
import { dropTokens } from './token.ts';

/** Removes all that gives access to a user who is gone: a later user of the same name must not inherit it. */
export async function dropCredentials(connection: Connection, user: string): Promise<void> {
  await endSessionsOf(connection, user);
  await endGrantsOf(connection, user);
  await dropIdentitiesOf(connection, user);
  await connection.run(sql`delete from "_api_key" where "user" = ${user}`);
  await connection.run(sql`delete from "_password" where "user" = ${user}`);
  await dropTokens(connection, user);
  await dropSecondFactor(connection, user);
}
