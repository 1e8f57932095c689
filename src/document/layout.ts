import type { DocColumn, DocField, DocType } from '../doctype/doctype.ts';
import { memo } from '../kernel/memo.ts';

/** A stored column that comes from a field. */
export interface FieldColumn extends DocColumn {
  readonly field: DocField;
}

/** Properties of a doctype that the pipeline needs often, derived once. */
export interface Layout {
  /** Stored fields, in order, without the standard columns. */
  readonly fields: readonly FieldColumn[];
  /** All columns of the table, standard ones included, in the order of statements. */
  readonly columns: readonly string[];
  readonly passwords: readonly FieldColumn[];
}

/** The layout of a doctype; computed once per registry. */
export const layoutOf = memo((doctype: DocType): Layout => {
  const fields: FieldColumn[] = [];
  for (const column of doctype.columns) {
    if (column.field) fields.push({ ...column, field: column.field });
  }
  return {
    fields,
    columns: doctype.columns.map((column) => column.fieldname),
    passwords: fields.filter((column) => column.field.fieldtype === 'Password'),
  };
});
