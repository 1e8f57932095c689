import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { loadGrants } from './grants.ts';
import { type CurrentUser, currentUser, rolesIn } from './user.ts';

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
    sql`select "u"."name" as "name", "r"."name" as "role", "r"."desk_access" from "User" as "u"
        left join "Has Role" as "h" on "h"."parent" = "u"."name" and "h"."parenttype" = 'User'
        left join "Role" as "r" on "r"."name" = "h"."role" and "r"."disabled" = 0
        where "u"."name" = ${name} and "u"."enabled" = 1`,
  );
  const [first] = rows;
  if (!first) return null;
  const user = String(first['name']);
  const grants = await loadGrants(connection, user, strict);
  const { roles, hasDesk } = rolesIn(user, rows);
  return currentUser(user, roles, { hasDesk, grants });
}
