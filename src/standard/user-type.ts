import type { Connection } from '../db/database.ts';
import { describeTable } from '../db/describe.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { rowsOf } from '../document/document.ts';
import { lockClause } from '../document/lock.ts';

const FIXED: Readonly<Record<string, string>> = { Administrator: 'System User', Guest: 'Website User' };

/** Names in a note; a site may have many more users. */
const NAMED = 1_000;

/**
 * The `user_type` of a record, by its roles. It is a copy for lists and replies: rights follow the roles
 * themselves, see `currentUser`.
 */
export async function userTypeOf(doc: Document, ctx: Context): Promise<string> {
  const fixed = FIXED[doc.name];
  const names = rowsOf(doc, 'roles').map((row) => sql`${String(row['role'])}`);
  if (fixed !== undefined) return fixed;
  // Locked, so that a role that changes meanwhile finds this user.
  const roles =
    names.length === 0
      ? []
      : await ctx.db.all(
          sql`select "desk_access", "disabled" from "Role" where "name" in (${join(names)})
              order by "name"${lockClause(ctx.db.dialect, 'keep')}`,
        );
  const hasDesk = roles.some((role) => role['desk_access'] === 1 && role['disabled'] === 0);
  return hasDesk ? 'System User' : 'Website User';
}

/** Brings every stored `user_type` in line with the roles, or those of the users with this role. */
export async function followRoles(connection: Connection, role?: string): Promise<void> {
  const among =
    role === undefined
      ? sql``
      : sql` and "name" in (select "parent" from "Has Role" where "parenttype" = 'User' and "role" = ${role})`;
  await connection.run(
    sql`update "User" set "user_type" = ${BY_ROLES}, "_revision" = "_revision" + 1 where ${DIFFERS}${among}`,
  );
}

const BY_ROLES = sql`case when exists (
  select 1 from "Has Role" as "h" join "Role" as "r" on "r"."name" = "h"."role"
  where "h"."parenttype" = 'User' and "h"."parent" = "User"."name"
    and "r"."desk_access" = 1 and "r"."disabled" = 0
) then 'System User' else 'Website User' end`;

const DIFFERS: Sql = sql`"name" not in ('Administrator', 'Guest') and coalesce("user_type", '') <> ${BY_ROLES}`;

/**
 * Sentences about the users whose `user_type` a migration changes. Sites of earlier versions stored what
 * requests said, and System User for users without roles. The tables may lack columns before a migration.
 */
export async function changingUserTypes(connection: Connection): Promise<string[]> {
  for (const [table, column] of NEEDED) {
    const found = await describeTable(connection, table);
    if (!found?.columns.some(({ name }) => name === column)) return [];
  }
  const users = await connection.all(
    sql`select "name", "user_type" from "User" where ${DIFFERS} order by "name"`,
  );
  const [gaining, losing] = [
    users.filter((user) => user['user_type'] === 'Website User'),
    users.filter((user) => user['user_type'] !== 'Website User'),
  ].map((some) => some.map(({ name }) => String(name)));
  return [
    ...told(
      losing,
      'become Website Users and lose the rights of Desk User: none of their roles has desk access',
    ),
    ...told(
      gaining,
      'become System Users and get the rights of Desk User: one of their roles has desk access',
    ),
  ];
}

const NEEDED = [
  ['User', 'user_type'],
  ['Has Role', 'role'],
  ['Role', 'desk_access'],
  ['Role', 'disabled'],
] as const;

function told(users: readonly string[] = [], change: string): string[] {
  if (users.length === 0) return [];
  const more = users.length > NAMED ? ` and ${users.length - NAMED} more` : '';
  return [`These users ${change}: ${users.slice(0, NAMED).join(', ')}${more}`];
}
