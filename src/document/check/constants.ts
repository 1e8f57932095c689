import type { ChildRow, DocField, Document } from '../../doctype/doctype.ts';
import { type ErrorPlace, ServiceError } from '../../kernel/errors.ts';
import { type Change, touchedTables } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { rowsOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { isAmendedFrom } from './amendment.ts';
import { sameMoment, sentText } from './latest.ts';
import { placeOf } from './place.ts';
import { isSameValue } from './same.ts';

/**
 * Owner, creation, `amended_from` and `set_only_once` fields keep the value of the creation.
 * @throws ServiceError CannotChangeConstantError
 */
export function checkConstants(ctx: Context, change: Change): void {
  const { doctype, doc, before, input } = change;
  if (!before) return;
  const owner = sentText(input, 'owner');
  if (owner !== null && owner !== before.owner) throw refused('Owner');
  const creation = sentText(input, 'creation');
  if (creation !== null && !sameMoment(before.creation, creation)) throw refused('Created On');
  for (const field of doctype.fields) {
    // `amended_from` is set and checked at creation.
    if (!field.set_only_once && !isAmendedFrom(doctype, field)) continue;
    if (!sameValue(ctx, before, doc, field)) throw refused(field.label, '', placeOf(doc, field.fieldname));
  }
  for (const table of touchedTables(change)) checkRows(ctx, before, doc, table);
}

/** Rows that remain keep their `set_only_once` fields, too. */
function checkRows(ctx: Context, before: Document, doc: Document, table: DocField): void {
  const fields = ctx.doctypes.get(table.options).fields.filter((field) => field.set_only_once);
  if (fields.length === 0) return;
  const stored = storedRows(before, table.fieldname);
  for (const row of rowsOf(doc, table.fieldname)) {
    const was = stored.get(row.name);
    const changed = was && fields.find(({ fieldname }) => !isSameValue(was[fieldname], row[fieldname]));
    if (changed) throw refused(changed.label, `Row #${row.idx}: `, placeOf(row, changed.fieldname));
  }
}

function sameValue(ctx: Context, before: Document, doc: Document, field: DocField): boolean {
  if (!Array.isArray(doc[field.fieldname])) {
    return isSameValue(before[field.fieldname], doc[field.fieldname]);
  }
  const stored = rowsOf(before, field.fieldname);
  const rows = rowsOf(doc, field.fieldname);
  const fieldnames = layoutOf(ctx.doctypes.get(field.options)).fields.map((column) => column.fieldname);
  return stored.length === rows.length && stored.every((row, index) => sameRow(row, rows[index], fieldnames));
}

function sameRow(stored: ChildRow, row: ChildRow | undefined, fieldnames: readonly string[]): boolean {
  return row !== undefined && fieldnames.every((fieldname) => isSameValue(stored[fieldname], row[fieldname]));
}

function refused(label: string, where = '', place: ErrorPlace | null = null): ServiceError {
  return new ServiceError('CannotChangeConstantError', `${where}Value cannot be changed for ${label}`, {
    places: [place],
  });
}
