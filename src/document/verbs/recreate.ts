import { ident, sql } from '../../db/sql.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import type { Context } from '../contract.ts';
import { newDocument, newRow } from '../document.ts';
import { layoutOf } from '../layout.ts';

/**
 * A new document with values that a document had at another time, for the current fields of the doctype, without
 * passwords. Pass it to `finishCreation`.
 * @throws ServiceError when a field does not take its value any more
 */
export function documentWith(ctx: Context, doctype: DocType, kept: Fields): Document {
  const doc = newDocument(doctype);
  putFields(doctype, doc, kept);
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    const rows = kept[table.fieldname];
    doc[table.fieldname] = (Array.isArray(rows) ? rows.filter(isRecord) : []).map((row) => {
      const fresh = newRow(child);
      fresh.name = String(row['name'] ?? '');
      putFields(child, fresh, row);
      return fresh;
    });
  }
  return doc;
}

function putFields(doctype: DocType, holder: Document | ChildRow, kept: Fields): void {
  for (const { fieldname, field } of layoutOf(doctype).fields) {
    if (field.fieldtype === 'Password') continue;
    const value = kept[fieldname];
    if (value !== undefined && value !== null) holder[fieldname] = fieldtypeOf(field).coerce(value, field);
  }
}

/** Names the document; '' requests a name by the rules. A row keeps its name if the document does. */
export function placeUnder(doctype: DocType, doc: Document, name: string): void {
  doc.name = name;
  for (const table of doctype.tables) {
    const rows = doc[table.fieldname];
    if (!Array.isArray(rows)) continue;
    for (const row of rows) {
      row.parent = name;
      if (name === '') row.name = '';
    }
  }
}

/** True when no document has the name. */
export async function isFree(ctx: Context, doctype: DocType, name: string): Promise<boolean> {
  const row = await ctx.db.get(
    sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${nameKey(doctype, name)}`,
  );
  return row === undefined;
}
