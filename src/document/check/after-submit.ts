import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { rowsOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { placeOf } from './place.ts';
import { isSameValue } from './same.ts';

/**
 * After submission only fields with `allow_on_submit` may change; rows may be added or removed only in tables
 * that have it.
 * @throws ServiceError UpdateAfterSubmitError
 */
export function checkAfterSubmit(ctx: Context, change: Change): void {
  const { doctype, doc, before } = change;
  if (!before) return;
  checkFields(doctype, before, doc, '');
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    const stored = storedRows(before, table.fieldname);
    const rows = rowsOf(doc, table.fieldname);
    if (!table.allow_on_submit && !sameRows([...stored.values()], rows)) throw refused(table, doc, '');
    for (const row of rows) {
      const was = stored.get(row.name);
      if (was) checkFields(child, was, row, `Row #${row.idx}: `);
    }
  }
}

function sameRows(stored: readonly ChildRow[], rows: readonly ChildRow[]): boolean {
  return stored.length === rows.length && stored.every((row, index) => row.name === rows[index]?.name);
}

function checkFields(
  doctype: DocType,
  before: Document | ChildRow,
  after: Document | ChildRow,
  place: string,
): void {
  for (const { fieldname, field } of layoutOf(doctype).fields) {
    if (!field.allow_on_submit && !isSameValue(before[fieldname], after[fieldname]))
      throw refused(field, after, place);
  }
}

function refused(field: DocField, holder: Document | ChildRow, place: string): ServiceError {
  return new ServiceError(
    'UpdateAfterSubmitError',
    `${place}Not allowed to change ${field.label} after submission`,
    { places: [placeOf(holder, field.fieldname)] },
  );
}
