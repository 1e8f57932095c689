import { deleteSecrets } from '../../access/secret.ts';
import { ident, join, sql } from '../../db/sql.ts';
import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { type Change, touchedTables } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { rowsOf } from '../document.ts';
import { type Layout, layoutOf } from '../layout.ts';
import { statementText, withValues } from '../statements.ts';
import { batchSize, insertBatches, ROWS_AT_ONCE } from './insert-batches.ts';

/** Writes all rows of a new document. */
export async function insertChildren(ctx: Context, change: Change): Promise<void> {
  const { doctype, doc } = change;
  for (const table of doctype.tables) {
    await insertBatches(ctx, ctx.doctypes.get(table.options), rowsOf(doc, table.fieldname));
  }
}

/**
 * Updates the stored rows to those of the document: deletes missing rows, writes new and changed ones. An
 * unchanged row keeps its `modified`.
 */
export async function replaceChildren(ctx: Context, change: Change): Promise<void> {
  const { doc, before } = change;
  if (!before) return insertChildren(ctx, change);
  for (const table of touchedTables(change)) {
    const child = ctx.doctypes.get(table.options);
    const layout = layoutOf(child);
    const stale = storedRows(before, table.fieldname);
    const stored = stale.size;
    const written: ChildRow[] = [];
    const rows = rowsOf(doc, table.fieldname);
    for (const row of rows) {
      const was = stale.get(row.name);
      if (was && isSame(layout, was, row)) {
        row.modified = was.modified;
        row.modified_by = was.modified_by;
        stale.delete(row.name);
      } else written.push(row);
    }
    if (stale.size > 0 && stale.size === stored) await deleteChildren(ctx, child, doc, table);
    else await deleteBatches(ctx, child, [...stale.keys()]);
    if (layout.passwords.length > 0) await forgetRemoved(ctx, child, stale, rows);
    await insertBatches(ctx, child, written);
  }
}

/** Removes all rows of one table of a document. */
export async function deleteChildren(
  ctx: Context,
  child: DocType,
  doc: Document,
  table: DocField,
): Promise<void> {
  const text = statementText(
    child,
    ctx.db.dialect,
    'delete all',
    () => sql`delete from ${ident(child.name)}
      where "parent" = ${null} and "parenttype" = ${null} and "parentfield" = ${null}`,
  );
  await ctx.db.run(withValues(text, [doc.name, doc.doctype, table.fieldname]));
}

function isSame(layout: Layout, was: ChildRow, row: ChildRow): boolean {
  if (was.idx !== row.idx || was.docstatus !== row.docstatus) return false;
  return layout.fields.every((column) => was[column.fieldname] === row[column.fieldname]);
}

async function forgetRemoved(
  ctx: Context,
  child: DocType,
  stale: ReadonlyMap<string, ChildRow>,
  rows: readonly ChildRow[],
): Promise<void> {
  const kept = new Set(rows.map((row) => row.name));
  for (const name of stale.keys()) if (!kept.has(name)) await deleteSecrets(ctx.db, child.name, name);
}

async function deleteBatches(ctx: Context, child: DocType, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; ) {
    const size = batchSize(names.length - start, ROWS_AT_ONCE);
    const text = statementText(child, ctx.db.dialect, `delete ${size}`, () => {
      const holes = Array.from({ length: size }, () => sql`${null}`);
      return sql`delete from ${ident(child.name)} where "name" in (${join(holes)})`;
    });
    await ctx.db.run(withValues(text, names.slice(start, start + size)));
    start += size;
  }
}
