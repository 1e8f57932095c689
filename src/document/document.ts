import type { ChildRow, DocType, Document } from '../doctype/doctype.ts';
import { layoutOf } from './layout.ts';

/** A document as stored, with the revision that `ETag` shows. */
export interface Loaded {
  readonly doc: Document;
  readonly revision: number;
}

/** A document with every column and child table present and unset. */
export function newDocument(doctype: DocType): Document {
  const doc: Document = {
    doctype: doctype.name,
    name: '',
    owner: '',
    creation: '',
    modified: '',
    modified_by: '',
    docstatus: 0,
    idx: 0,
  };
  for (const column of layoutOf(doctype).fields) doc[column.fieldname] = column.empty;
  for (const table of doctype.tables) doc[table.fieldname] = [];
  return doc;
}

/** A child row with every column present and unset; `placeChildren` gives it its name and place. */
export function newRow(child: DocType): ChildRow {
  const row: ChildRow = {
    doctype: child.name,
    name: '',
    owner: '',
    creation: '',
    modified: '',
    modified_by: '',
    docstatus: 0,
    idx: 0,
    parent: '',
    parentfield: '',
    parenttype: '',
  };
  for (const column of layoutOf(child).fields) row[column.fieldname] = column.empty;
  return row;
}

/** The rows of a child table; none when the field is absent. */
export function rowsOf(doc: Document, fieldname: string): ChildRow[] {
  const rows = doc[fieldname];
  return Array.isArray(rows) ? rows : [];
}

/** A copy that shares nothing with the original but the child tables in `shared`. */
export function cloneDocument(doc: Document, shared: ReadonlySet<string> = NONE): Document {
  const clone: Document = { ...doc };
  for (const key of Object.keys(clone)) {
    const value = clone[key];
    if (Array.isArray(value) && !shared.has(key)) clone[key] = value.map((row) => ({ ...row }));
  }
  return clone;
}

const NONE: ReadonlySet<string> = new Set();

/** A field's scalar value; null for a child table or an absent field. */
export function scalarOf(holder: Document | ChildRow, fieldname: string): string | number | null {
  const value = holder[fieldname];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** A field's text; empty when it has none. */
export function textOf(holder: Document | ChildRow, fieldname: string): string {
  const value = holder[fieldname];
  return typeof value === 'string' ? value : '';
}
