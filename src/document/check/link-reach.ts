import { isIn } from '../../access/field-level.ts';
import type { ListRight } from '../../access/list-right.ts';
import { allows } from '../../access/permission.ts';
import type { CurrentUser } from '../../access/user.ts';
import { ident, join, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { memo } from '../../kernel/memo.ts';
import { listedFields } from '../../query/listed-fields.ts';
import { isOwnWork } from '../context.ts';
import type { Context } from '../contract.ts';
import { readableRows } from '../list/list.ts';

/**
 * The ones among these existing documents that the user may link to, by the right to select or to read, as in
 * a link picker. `'all'` when the user may link to every document. A document out of reach is treated as
 * missing, so a link reveals nothing. Code of the server and of apps has no such limit. `right` demands the
 * right to read.
 */
export async function linkable(
  ctx: Context,
  target: DocType,
  names: readonly string[],
  ignoresUserPermissions: boolean,
  right: ListRight = 'select',
): Promise<ReadonlySet<string> | 'all'> {
  if (isOwnWork(ctx) || ctx.user.isAdministrator) return 'all';
  const user = ignoresUserPermissions ? withoutUserPermissions(ctx.user) : ctx.user;
  // Users know of their own user document.
  const self = target.name === 'User' ? names.filter((name) => name === user.name) : [];
  if (!allows(user, target, right)) return new Set(self);
  // The controller already looked these documents up for this user.
  const rows = target.rowsFrom === 'controller' ? null : readableRows({ ...ctx, user }, target, right);
  if (rows === null) return 'all';
  const found = await ctx.db.all(
    sql`select "name" from ${ident(target.name)}
        where "name" in (${join(names.map((name) => sql`${nameKey(target, name)}`))}) and (${rows})`,
  );
  return new Set([...self, ...found.map((row) => String(row['name']))]);
}

/**
 * The ones among these existing documents whose field the user may read, in the document or in a link picker;
 * `'all'` as for `linkable`.
 */
export async function showing(
  ctx: Context,
  target: DocType,
  fieldname: string,
  names: readonly string[],
  ignoresUserPermissions: boolean,
): Promise<ReadonlySet<string> | 'all'> {
  const found = new Set<string>();
  const isLimited = !isOwnWork(ctx) && !ctx.user.isAdministrator;
  for (const right of ['read', 'select'] as const) {
    if (isLimited && !isIn(listedFields({ user: ctx.user, right }, target), fieldname)) continue;
    const some = await linkable(ctx, target, names, ignoresUserPermissions, right);
    if (some === 'all') return 'all';
    for (const name of some) found.add(name);
  }
  return found;
}

/**
 * The same user without User Permissions, for fields that ignore them. One object per user, because rules are
 * cached by it.
 */
const withoutUserPermissions = memo((user: CurrentUser): CurrentUser => {
  if (!user.grants || user.grants.permissions.size === 0) return user;
  return { ...user, grants: { ...user.grants, permissions: new Map() } };
});
