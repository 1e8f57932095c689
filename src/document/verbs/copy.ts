import { writableFields } from '../../access/field-level.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import type { Context } from '../contract.ts';
import { newDocument, newRow, rowsOf } from '../document.ts';
import { type FieldColumn, layoutOf } from '../layout.ts';
import { applyDefaults } from '../load/defaults.ts';

/**
 * A new, unsaved draft with the values of a document, for the user to save: without name, owner and times,
 * without fields marked `no_copy`, passwords and `amended_from`, and without fields that the user may not
 * write. Omitted fields have their default; rows have no names.
 */
export function copyDocument(ctx: Context, doctype: DocType, source: Document): Document {
  const copy = newDocument(doctype);
  applyDefaults(ctx, doctype, copy);
  copyFields(ctx, doctype, doctype, source, copy);
  const writable = writableFields(ctx.user, doctype);
  for (const table of doctype.tables) {
    if (table.no_copy || (writable !== 'all' && !writable.has(table.fieldname))) continue;
    const child = ctx.doctypes.get(table.options);
    copy[table.fieldname] = rowsOf(source, table.fieldname).map((row, index) => {
      const fresh = newRow(child);
      applyDefaults(ctx, child, fresh);
      copyFields(ctx, child, doctype, row, fresh);
      fresh.idx = index + 1;
      return fresh;
    });
  }
  return copy;
}

function copyFields(
  ctx: Context,
  doctype: DocType,
  parent: DocType,
  source: Document | ChildRow,
  copy: Document | ChildRow,
): void {
  const writable = writableFields(ctx.user, doctype, parent);
  for (const column of layoutOf(doctype).fields) {
    const { fieldname } = column;
    if (!isCopied(column) || (writable !== 'all' && !writable.has(fieldname))) continue;
    copy[fieldname] = source[fieldname] ?? column.empty;
  }
}

function isCopied({ fieldname, field }: FieldColumn): boolean {
  // The column of a Password holds a mask, and the copy has no secret for it.
  return !field.no_copy && field.fieldtype !== 'Password' && fieldname !== 'amended_from';
}
