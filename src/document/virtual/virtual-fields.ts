import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { memo } from '../../kernel/memo.ts';
import type { Context } from '../contract.ts';
import { controllersOf } from '../controller.ts';
import { rowsOf } from '../document.ts';

/** True when a document of this doctype has computed fields. */
export function hasVirtualFields(ctx: Context, doctype: DocType): boolean {
  if (virtualsOf(doctype).length > 0) return true;
  return doctype.tables.some((table) => virtualsOf(ctx.doctypes.get(table.options)).length > 0);
}

/**
 * Adds the computed fields (`is_virtual`) to the document and its rows. A field that no controller computes
 * is left out.
 */
export async function withVirtualFields(ctx: Context, doctype: DocType, doc: Document): Promise<Document> {
  let shown = doc;
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    if (virtualsOf(child).length === 0) continue;
    if (shown === doc) shown = { ...doc };
    const rows: ChildRow[] = [];
    for (const row of rowsOf(doc, table.fieldname)) rows.push(await computed(ctx, child, row));
    shown[table.fieldname] = rows;
  }
  return virtualsOf(doctype).length === 0 ? shown : computed(ctx, doctype, shown);
}

async function computed<T extends Document | ChildRow>(
  ctx: Context,
  doctype: DocType,
  holder: T,
): Promise<T> {
  const shown = { ...holder } as T & Record<string, unknown>;
  for (const field of virtualsOf(doctype)) {
    const { fieldname } = field;
    const compute = controllersOf(ctx, doctype).find((one) => one.virtualFields?.[fieldname])?.virtualFields;
    const value = await compute?.[fieldname]?.(holder, ctx);
    if (value !== undefined) (shown as Document)[fieldname] = fieldtypeOf(field).coerce(value, field);
  }
  return shown;
}

const virtualsOf = memo((doctype: DocType): readonly DocField[] => {
  return doctype.fields.filter(
    (field) =>
      field.is_virtual && !doctype.columnByName.has(field.fieldname) && fieldtypeOf(field).column !== null,
  );
});
