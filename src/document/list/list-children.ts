import { readableFields } from '../../access/field-level.ts';
import { allows, refusal } from '../../access/permission.ts';
import { ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameText } from '../../doctype/numbered.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Context } from '../contract.ts';

/**
 * The parent doctype given in the list of a child doctype; null when none is given.
 * @throws ServiceError ValidationError when it has no such rows, PermissionError when the user may not read
 * it
 */
export function listedParent(ctx: Context, child: DocType, wire: unknown): DocType | null {
  if (wire === undefined || wire === null || wire === '') return null;
  const parent = typeof wire === 'string' ? ctx.doctypes.find(wire) : undefined;
  // The same message for a doctype that does not exist.
  if (!parent || parent.istable || !allows(ctx.user, parent, 'read')) throw refusal(child, 'read');
  if (!parent.tables.some(({ options }) => options === child.name)) {
    throw new ServiceError('ValidationError', `${parent.name} has no table of ${child.name}`);
  }
  if (parent.rowsFrom === 'controller') throw refusal(child, 'read');
  return parent;
}

/** The rows of the parents in `rows` (null: all of them), in the tables that the user may read. */
export function rowsInParents(ctx: Context, child: DocType, parent: DocType, rows: Sql | null): Sql {
  const readable = readableFields(ctx.user, parent);
  const tables = parent.tables.filter(
    ({ fieldname, options }) => options === child.name && (readable === 'all' || readable.has(fieldname)),
  );
  if (tables.length === 0) return sql`false`;
  const fields = join(tables.map(({ fieldname }) => sql`${fieldname}`));
  const inParents = rows
    ? sql` and "parent" in (select ${nameText(parent)} from ${ident(parent.name)} where ${rows})`
    : sql``;
  return sql`"parenttype" = ${parent.name} and "parentfield" in (${fields})${inParents}`;
}
