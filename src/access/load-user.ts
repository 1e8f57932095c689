import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { loadGrants } from './grants.ts';
import { type CurrentUser, currentUser } from './user.ts';

/**
 * Loads an enabled user with current roles, to check another user's permissions. `strict` as for
 * `loadGrants`. Null when there is no such user.
 */
export async function loadUser(
  connection: Connection,
  name: string,
  strict: boolean,
): Promise<CurrentUser | null> {
  const rows = await connection.all(
    sql`select "u"."name" as "name", "u"."user_type" as "user_type", "r"."name" as "role" from "User" as "u"
        left join "Has Role" as "h" on "h"."parent" = "u"."name" and "h"."parenttype" = 'User'
        left join "Role" as "r" on "r"."name" = "h"."role" and "r"."disabled" = 0
        where "u"."name" = ${name} and "u"."enabled" = 1`,
  );
  const [first] = rows;
  if (!first) return null;
  const roles = rows.map((row) => row['role']).filter((role) => typeof role === 'string');
  const user = String(first['name']);
  const grants = await loadGrants(connection, user, strict);
  return currentUser(user, roles, { userType: String(first['user_type']), grants });
}
