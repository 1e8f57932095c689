import type { DocColumn, DocField, DocType } from '../doctype/doctype.ts';

/** A stored column that comes from a field. */
export interface FieldColumn extends DocColumn {
  readonly field: DocField;
}

/** What the pipeline asks of a doctype again and again, derived once. */
export interface Layout {
  /** Stored fields, in order, without the standard columns. */
  readonly fields: readonly FieldColumn[];
  /** All columns of the table, standard ones included, in the order statements use. */
  readonly columns: readonly string[];
  readonly passwords: readonly FieldColumn[];
}

const layouts = new WeakMap<DocType, Layout>();

/** The layout of a doctype; computed at the first call for each registry's object. */
export function layoutOf(doctype: DocType): Layout {
  let layout = layouts.get(doctype);
  if (!layout) {
    const fields: FieldColumn[] = [];
    for (const column of doctype.columns) {
      if (column.field) fields.push({ ...column, field: column.field });
    }
    layout = {
      fields,
      columns: doctype.columns.map((column) => column.fieldname),
      passwords: fields.filter((column) => column.field.fieldtype === 'Password'),
    };
    layouts.set(doctype, layout);
  }
  return layout;
}
