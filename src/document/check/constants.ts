import type { ChildRow, DocField, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import type { Context } from '../context.ts';
import { rowsOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { isAmendedFrom } from './amendment.ts';
import { sameMoment, sentText } from './latest.ts';
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
    // What a document amends is settled, and checked, when it is created.
    if (!field.set_only_once && !isAmendedFrom(doctype, field)) continue;
    if (!sameValue(ctx, before, doc, field)) throw refused(field.label);
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

function refused(label: string): ServiceError {
  return new ServiceError('CannotChangeConstantError', `Value cannot be changed for ${label}`);
}
