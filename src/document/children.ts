import type { ChildRow, DocField, Document } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { followingHash } from '../kernel/random.ts';
import { type Change, untouchedTables } from './change.ts';
import type { Context } from './contract.ts';
import { newRow, rowsOf } from './document.ts';
import { layoutOf } from './layout.ts';

/** Length of a generated row name. */
const ROW_NAME = 10;

/**
 * Sets name, idx from 1, parent, docstatus, owner and times of each row. Rows stored under this document keep
 * their name, owner and creation. Any other row gets a new name, so no row is ever taken from another
 * document. Runs again after hooks, which may add incomplete rows.
 * @throws ServiceError ValidationError when the document has too many rows, or a hook replaced a table by
 * another value
 */
export function placeChildren(ctx: Context, change: Change): void {
  const { doctype, doc, before } = change;
  const untouched = untouchedTables(change);
  let total = 0;
  for (const table of doctype.tables) {
    const rows = tableOf(doc, table);
    total += rows.length;
    if (total > LIMITS.childRows) {
      throw new ServiceError('ValidationError', `A document cannot have more than ${LIMITS.childRows} rows`);
    }
    if (untouched.has(table.fieldname)) continue;
    const child = ctx.doctypes.get(table.options);
    const empty = newRow(child);
    const stored = storedRows(before, table.fieldname);
    const taken = new Set<string>();
    let fresh = '';
    for (const [index, row] of rows.entries()) {
      for (const column of layoutOf(child).columns) row[column] ??= empty[column] ?? null;
      const kept = stored.get(row.name);
      const isNew = row.name === '' || taken.has(row.name) || (!kept && row.parent !== doc.name);
      if (isNew) {
        // Rows of a save lie together in the index of names. Random names would each change a page of it.
        fresh = fresh === '' ? ctx.site.random.hash(ROW_NAME) : followingHash(fresh);
        row.name = fresh;
      }
      taken.add(row.name);
      row.doctype = child.name;
      row.owner = kept ? kept.owner : doc.modified_by;
      row.creation = kept ? kept.creation : doc.modified;
      row.modified = doc.modified;
      row.modified_by = doc.modified_by;
      row.docstatus = doc.docstatus;
      row.idx = index + 1;
      row.parent = doc.name;
      row.parentfield = table.fieldname;
      row.parenttype = doctype.name;
    }
  }
}

// A hook that unsets a table empties it. A value that is not a table is an error of the hook, and must not
// delete rows.
function tableOf(doc: Document, table: DocField): ChildRow[] {
  const value: unknown = doc[table.fieldname];
  if (value !== null && value !== undefined && !Array.isArray(value)) {
    throw new ServiceError('ValidationError', `Value for ${table.label} must be a list of rows`);
  }
  const rows = rowsOf(doc, table.fieldname);
  doc[table.fieldname] = rows;
  return rows;
}

/** The rows of one table as stored before the change, by name. */
export function storedRows(before: Document | null, fieldname: string): Map<string, ChildRow> {
  const rows = new Map<string, ChildRow>();
  if (before) for (const row of rowsOf(before, fieldname)) rows.set(row.name, row);
  return rows;
}
