import { refusal } from '../access/permission.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { ident, join, Sql, sql } from '../db/sql.ts';
import type { DocType, Document, Right } from '../doctype/doctype.ts';
import { compileWhere } from '../query/compile-condition.ts';
import { parseFilters } from '../query/parse-filter.ts';
import { type Context, timestamp } from './context.ts';
import { controllersOf, type RowConditions } from './controller.ts';

/** True when a controller may keep documents from those who have the right to them. */
export function narrows(ctx: Context, doctype: DocType): boolean {
  return controllersOf(ctx, doctype).some(({ hasPermission, rowFilter }) => hasPermission || rowFilter);
}

/** True when controllers keep some documents of the doctype, or may, from whoever asks. */
export function hides(ctx: Context, doctype: DocType): boolean {
  return controllersOf(ctx, doctype).some(({ hasPermission, rowFilter }) =>
    rowFilter ? rowFilter(ctx) !== null : hasPermission !== undefined,
  );
}

/**
 * Lets the controllers narrow what roles and shares allowed.
 * @throws ServiceError PermissionError
 */
export async function requireControllerPermission(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  right: Right,
): Promise<void> {
  if ((await refusingHook(ctx, doctype, doc, right)) === null) return;
  // In the words that roles refuse with: which rule it was is nobody's business.
  throw refusal(doctype, right);
}

/** The hook that refuses the right to a document; null when none does. */
export async function refusingHook(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  right: Right,
): Promise<'hasPermission' | 'rowFilter' | null> {
  for (const controller of controllersOf(ctx, doctype)) {
    if (controller.hasPermission && !(await controller.hasPermission(ctx, doc, right)))
      return 'hasPermission';
    const given = controller.rowFilter?.(ctx) ?? null;
    // What gives a condition on rows says the same of one document where it has a hook for that.
    if (given === null || (given instanceof Sql && controller.hasPermission)) continue;
    // A document that is not stored yet is in no list.
    if (right === 'create' || doctype.issingle || doctype.rowsFrom === 'controller') continue;
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
    sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${name} and (${conditionOf(ctx, doctype, given)})`,
  );
  return row !== undefined;
}

/** What the controllers' row filters say together, on the doctype's unqualified columns; null means every row. */
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
  // The app's code asks and not the user: it may look at any field, and through any link.
  const scope = { registry: ctx.doctypes, user: ADMINISTRATOR, now: () => timestamp(ctx.site) };
  const query = { doctype, orFilters: [], ...parseFilters(doctype, 'filters', given, scope) };
  const where = compileWhere(query, null, ctx.db.dialect, null);
  if (!where) return sql`true`;
  return sql`"name" in (select "_t"."name" from ${ident(doctype.name)} as "_t" where ${where})`;
}
