import { refusal } from '../../access/permission.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import { ident, join, Sql, sql } from '../../db/sql.ts';
import type { DocType, Document, Right } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { compileWhere } from '../../query/compile-condition.ts';
import { parseFilters } from '../../query/parse-filter.ts';
import { timestamp } from '../context.ts';
import type { Context, RowConditions } from '../contract.ts';
import { controllersOf } from '../controller.ts';

/** True when a controller may refuse documents to users who have the right by roles. */
export function narrows(ctx: Context, doctype: DocType): boolean {
  return controllersOf(ctx, doctype).some(({ hasPermission, rowFilter }) => hasPermission || rowFilter);
}

/** True when controllers hide, or may hide, documents of the doctype from the user. */
export function hides(ctx: Context, doctype: DocType): boolean {
  return controllersOf(ctx, doctype).some(({ hasPermission, rowFilter }) =>
    rowFilter ? rowFilter(ctx) !== null : hasPermission !== undefined,
  );
}

/**
 * Applies the controllers' checks after roles and shares have allowed the right.
 * @throws ServiceError PermissionError
 */
export async function requireControllerPermission(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  right: Right,
): Promise<void> {
  if ((await refusingHook(ctx, doctype, doc, right)) === null) return;
  // The same message as for roles: the user must not learn which rule refused.
  throw refusal(doctype, right);
}

/** The hook that refuses the right to a document; null when none does. */
export async function refusingHook(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  right: Right,
): Promise<'hasPermission' | 'rowFilter' | null> {
  // A document that is not stored yet is in no list.
  const isInLists = right !== 'create' && !doctype.issingle && doctype.rowsFrom !== 'controller';
  for (const controller of controllersOf(ctx, doctype)) {
    if (controller.hasPermission && !(await controller.hasPermission(ctx, doc, right)))
      return 'hasPermission';
    const given = isInLists ? (controller.rowFilter?.(ctx) ?? null) : null;
    // A controller with a condition on rows repeats it for single documents in its hook.
    if (given === null || (given instanceof Sql && controller.hasPermission)) continue;
    if (!(await isListed(ctx, doctype, doc.name, given))) return 'rowFilter';
  }
  return null;
}

async function isListed(
  ctx: Context,
  doctype: DocType,
  name: string,
  given: RowConditions | Sql,
): Promise<boolean> {
  const row = await ctx.db.get(
    sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${nameKey(doctype, name)} and (${conditionOf(ctx, doctype, given)})`,
  );
  return row !== undefined;
}

/**
 * The combined row filters of the controllers, on the doctype's unqualified columns; null means every row.
 */
export function controllerRowFilter(ctx: Context, doctype: DocType): Sql | null {
  const filters: Sql[] = [];
  for (const controller of controllersOf(ctx, doctype)) {
    const given = controller.rowFilter?.(ctx) ?? null;
    if (given !== null) filters.push(sql`(${conditionOf(ctx, doctype, given)})`);
  }
  return filters.length === 0 ? null : join(filters, ' and ');
}

function conditionOf(ctx: Context, doctype: DocType, given: RowConditions | Sql): Sql {
  if (given instanceof Sql) return given;
  // The filter is the app's and not the user's: it may use any field, and any link.
  const scope = { registry: ctx.doctypes, user: ADMINISTRATOR, now: () => timestamp(ctx.site) };
  const query = { doctype, orFilters: [], ...parseFilters(doctype, 'filters', given, scope) };
  const where = compileWhere(query, null, ctx.db.dialect, null);
  if (!where) return sql`true`;
  return sql`"name" in (select "_t"."name" from ${ident(doctype.name)} as "_t" where ${where})`;
}
