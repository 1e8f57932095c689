import type { ColumnKind } from '../db/dialect.ts';
import type { DocColumn } from './doctype.ts';

function standard(fieldname: string, kind: ColumnKind): DocColumn {
  return Object.freeze({ fieldname, kind, empty: kind === 'integer' ? 0 : null, field: null });
}

/** The columns of every document, in wire order, before its fields. */
export const STANDARD_COLUMNS: readonly DocColumn[] = Object.freeze([
  standard('name', 'text'),
  standard('owner', 'text'),
  standard('creation', 'datetime'),
  standard('modified', 'datetime'),
  standard('modified_by', 'text'),
  standard('docstatus', 'integer'),
  standard('idx', 'integer'),
]);

/** The first column where names are whole numbers (`isNumbered`); never unset. */
export const NUMBERED_NAME: DocColumn = Object.freeze({ ...standard('name', 'integer'), empty: null });

/** The further columns of a child doctype's row: its place in the parent. */
export const CHILD_COLUMNS: readonly DocColumn[] = Object.freeze([
  ...STANDARD_COLUMNS,
  standard('parent', 'text'),
  standard('parenttype', 'text'),
  standard('parentfield', 'text'),
]);

/**
 * Further columns of a document with its own table: its tags, assignments and likes. Null until used, written
 * without a save, and left out of `*`: lists show them when a request names them.
 */
const SIDE_COLUMNS: readonly DocColumn[] = Object.freeze([
  standard('_user_tags', 'text'),
  standard('_assign', 'text'),
  standard('_liked_by', 'text'),
]);

/** Columns of the system, whose names no field may have. */
export const SYSTEM_COLUMNS: ReadonlySet<string> = new Set([
  ...SIDE_COLUMNS.map((column) => column.fieldname),
  '_revision',
  '_comments',
  '_seen',
]);

/** The side columns of a doctype; none for child rows, singles and views. */
export function sideColumnsOf(doctype: {
  readonly istable: boolean;
  readonly issingle: boolean;
  readonly is_virtual: boolean;
}): readonly DocColumn[] {
  return doctype.istable || doctype.issingle || doctype.is_virtual ? NONE : SIDE_COLUMNS;
}

const NONE: readonly DocColumn[] = Object.freeze([]);

/** Names that no field may have: standard columns, and other keys of documents on the wire. */
export const RESTRICTED_FIELDNAMES: ReadonlySet<string> = new Set([
  ...CHILD_COLUMNS.map((column) => column.fieldname),
  'doctype',
  'file_list',
  'flags',
]);
