import { allows } from '../../access/permission.ts';
import type { CurrentUser } from '../../access/user.ts';
import { ident, join, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { type Context, isOwnWork } from '../context.ts';
import { readableRows } from '../list.ts';

/**
 * Those of these existing documents that the user may link to: what a picker would show, by the right to select or to
 * read. `'all'` where nothing is kept from them. What is out of reach is as missing: a link tells nobody what exists.
 * Code of the server and of apps knows what it links to.
 */
export async function linkable(
  ctx: Context,
  target: DocType,
  names: readonly string[],
  ignoresUserPermissions: boolean,
): Promise<ReadonlySet<string> | 'all'> {
  if (isOwnWork(ctx) || ctx.user.isAdministrator) return 'all';
  const user = ignoresUserPermissions ? withoutUserPermissions(ctx.user) : ctx.user;
  // Whoever asks knows of themselves.
  const self = target.name === 'User' ? names.filter((name) => name === user.name) : [];
  if (!allows(user, target, 'select')) return new Set(self);
  // What a controller provides, it looked up for this user.
  const rows = target.rowsFrom === 'controller' ? null : readableRows({ ...ctx, user }, target, 'select');
  if (rows === null) return 'all';
  const found = await ctx.db.all(
    sql`select "name" from ${ident(target.name)}
        where "name" in (${join(names.map((name) => sql`${name}`))}) and (${rows})`,
  );
  return new Set([...self, ...found.map((row) => String(row['name']))]);
}

// One object for the same user: rules are remembered by it.
const freed = new WeakMap<CurrentUser, CurrentUser>();

/** The same user, of a field that User Permissions do not look at. */
function withoutUserPermissions(user: CurrentUser): CurrentUser {
  if (!user.grants || user.grants.permissions.size === 0) return user;
  let free = freed.get(user);
  if (!free) {
    free = { ...user, grants: { ...user.grants, permissions: new Map() } };
    freed.set(user, free);
  }
  return free;
}
