import { dropIdentitiesOf, moveIdentities } from '../access/identity.ts';
import { endGrantsOf } from '../access/oauth-grant.ts';
import { dropSecondFactor } from '../access/second-factor.ts';
import { endSessionsOf } from '../access/session.ts';
import { dropTokens } from '../access/token.ts';
import { isSystemManager } from '../access/user.ts';
import { canonicalUserName } from '../access/user-name.ts';
import { ident, sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import { fieldtypeOf } from '../doctype/fieldtypes/fieldtypes.ts';
import { sideColumnsOf } from '../doctype/standard-fields.ts';
import type { Change } from '../document/change.ts';
import type { Context } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';

/**
 * A user's new name must be an address, too. Names identify users, so only a System Manager may change them.
 * @throws ServiceError
 */
export function checkUserRename(
  doc: Document,
  ctx: Context,
  change: Change,
  standardUsers: readonly string[],
): void {
  if (!isSystemManager(ctx.user)) {
    throw new ServiceError('PermissionError', 'Only a System Manager may rename users', {
      title: 'Not permitted',
    });
  }
  const before = change.before?.name ?? '';
  for (const name of [before, doc.name]) {
    if (standardUsers.includes(name)) {
      throw new ServiceError('ValidationError', `User ${name} cannot be renamed or merged`);
    }
  }
  if (change.action === 'merge') return;
  const email = change.doctype.fieldByName.get('email');
  if (email) fieldtypeOf(email).coerce(doc.name, email);
  doc.name = canonicalUserName(doc.name);
}

/**
 * Moves a user's records to the new name. A renamed user keeps keys and password. A merged user's keys and
 * password are deleted, so that they never open the other account. Sessions end.
 */
export async function followUserRename(doc: Document, ctx: Context, change: Change): Promise<void> {
  const before = change.before?.name ?? null;
  if (before === null) return;
  for (const doctype of ctx.doctypes.all()) {
    if (doctype.is_virtual) continue;
    for (const column of ['owner', 'modified_by']) {
      await ctx.db.run(
        sql`update ${ident(doctype.name)} set ${ident(column)} = ${doc.name} where ${ident(column)} = ${before}`,
      );
    }
    if (sideColumnsOf(doctype).length > 0) await moveMarks(ctx, doctype, before, doc.name);
  }
  await ctx.db.run(sql`update "Comment" set "comment_email" = ${doc.name} where "comment_email" = ${before}`);
  await endSessionsOf(ctx.db, before);
  await endGrantsOf(ctx.db, before);
  await dropTokens(ctx.db, before);
  if (change.action === 'merge') {
    await dropSecondFactor(ctx.db, before);
    await dropIdentitiesOf(ctx.db, before);
    return;
  }
  await moveIdentities(ctx.db, before, doc.name);
  await ctx.db.run(sql`update "_api_key" set "user" = ${doc.name} where "user" = ${before}`);
  await ctx.db.run(sql`update "_password" set "user" = ${doc.name} where "user" = ${before}`);
  await ctx.db.run(sql`update "_second_factor" set "user" = ${doc.name} where "user" = ${before}`);
  await ctx.db.run(sql`update "_recovery_code" set "user" = ${doc.name} where "user" = ${before}`);
}

/** Likes and assignments: JSON lists of users. If a list has both users, only the old name is removed. */
async function moveMarks(ctx: Context, doctype: DocType, oldName: string, newName: string): Promise<void> {
  for (const column of ['_liked_by', '_assign'] as const) {
    const rows = await ctx.db.all(
      sql`select "name", ${ident(column)} as "users" from ${ident(doctype.name)}
          where replace(${ident(column)}, ${JSON.stringify(oldName)}, '') <> ${ident(column)}`,
    );
    for (const row of rows) {
      const users: unknown = JSON.parse(String(row['users']));
      if (!Array.isArray(users)) continue;
      const moved = [...new Set(users.map((user) => (user === oldName ? newName : user)))];
      await ctx.db.run(
        sql`update ${ident(doctype.name)} set ${ident(column)} = ${JSON.stringify(moved)},
            "_revision" = "_revision" + 1 where "name" = ${row['name'] ?? null}`,
      );
    }
  }
}
