import { ident, type Sql, sql } from '../db/sql.ts';
import type { DocType, Right } from '../doctype/doctype.ts';
import { reachOf } from './permission.ts';
import type { CurrentUser } from './user.ts';

/**
 * The condition on a doctype's own (unqualified) columns that keeps the rows on which the user has the right; null
 * when all rows are. Without the right it keeps none: callers refuse earlier, with `requirePermission`.
 */
export function rowFilter(user: CurrentUser, doctype: DocType, right: Right = 'read'): Sql | null {
  const reach = reachOf(user, doctype, right);
  if (reach === 'all') return null;
  if (reach === 'none') return sql`false`;
  return sql`${ident('owner')} = ${user.name}`;
}
