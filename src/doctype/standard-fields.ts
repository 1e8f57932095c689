import type { ColumnKind } from '../db/dialect.ts';
import type { DocColumn } from './doctype.ts';

function standard(fieldname: string, kind: ColumnKind): DocColumn {
  return Object.freeze({ fieldname, kind, empty: kind === 'integer' ? 0 : null, field: null });
}

/** What every document has, in wire order, before its fields. */
export const STANDARD_COLUMNS: readonly DocColumn[] = Object.freeze([
  standard('name', 'text'),
  standard('owner', 'text'),
  standard('creation', 'datetime'),
  standard('modified', 'datetime'),
  standard('modified_by', 'text'),
  standard('docstatus', 'integer'),
  standard('idx', 'integer'),
]);

/** What every row of a child doctype has besides: where it belongs. */
export const CHILD_COLUMNS: readonly DocColumn[] = Object.freeze([
  ...STANDARD_COLUMNS,
  standard('parent', 'text'),
  standard('parenttype', 'text'),
  standard('parentfield', 'text'),
]);

/** Names that no field may have: standard columns, and what documents carry on the wire. */
export const RESTRICTED_FIELDNAMES: ReadonlySet<string> = new Set([
  ...CHILD_COLUMNS.map((column) => column.fieldname),
  'doctype',
  'file_list',
  'flags',
]);
