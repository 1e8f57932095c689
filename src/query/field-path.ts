import { type FieldSet, isIn, readableFields } from '../access/field-level.ts';
import { allows } from '../access/permission.ts';
import { rowFilter } from '../access/row-filter.ts';
import type { Period } from '../db/dialect.ts';
import type { Sql } from '../db/sql.ts';
import type { DocColumn, DocField, DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { listedFields } from './listed-fields.ts';
import type { QueryScope } from './query-scope.ts';

/** The use of a field in a request. */
export type FieldUse = 'select' | 'filter' | 'order' | 'aggregate' | 'group';

/** A field that a query may use, and its path from the listed doctype. */
export type FieldPath = OwnPath | ChildPath | LinkPath;

interface Dated {
  /** The first day of the period that the date is in, instead of the date. In lists of groups only. */
  readonly period?: Period;
}

export interface OwnPath extends Dated {
  readonly via: 'own';
  readonly column: DocColumn;
  /** May hold null. */
  readonly nullable: boolean;
}

/** A field of the rows of one child doctype, in the table fields that the user may read. */
export interface ChildPath extends Dated {
  readonly via: 'child';
  readonly column: DocColumn;
  readonly nullable: boolean;
  readonly child: DocType;
  readonly tables: readonly string[];
}

/** A field of the document behind a Link field; unset if that is missing or hidden from the user. */
export interface LinkPath extends Dated {
  readonly via: 'link';
  readonly column: DocColumn;
  readonly nullable: true;
  readonly link: DocColumn;
  readonly target: DocType;
  /** Rows of the target that the user may read; null means all. */
  readonly rows: Sql | null;
}

/**
 * The only way from a name in a request to a column. Accepts `field`, `table_field.child_field`,
 * `link_field.field`, and Frappe's `` `tabDocType`.`field` `` for the doctype itself or a child doctype of
 * it.
 * @throws ServiceError DataError, with the same message for unknown fields and those that the user may not
 * read
 */
export function resolveField(doctype: DocType, path: string, scope: QueryScope, use: FieldUse): FieldPath {
  const found = find(doctype, path.trim(), scope);
  if (!found || !permits(found, use)) throw notPermitted(path);
  return found;
}

/** Resolves a field of the named doctype, which is the listed one or a child doctype of it. */
export function resolveFieldOf(
  doctype: DocType,
  ofDoctype: string,
  fieldname: string,
  scope: QueryScope,
): FieldPath {
  const found = findIn(doctype, ofDoctype, fieldname.trim(), scope);
  if (!found || !permits(found, 'filter')) throw notPermitted(fieldname);
  return found;
}

/** True when `resolveField` would allow this field for that use, too. */
export function mayAlso(path: FieldPath, use: FieldUse): boolean {
  return permits(path, use);
}

/** True when both are the same field by the same path. */
export function isSamePath(a: FieldPath, b: FieldPath): boolean {
  if (a.column !== b.column || a.period !== b.period) return false;
  if (a.via === 'link') return b.via === 'link' && a.link === b.link;
  if (a.via === 'child') return b.via === 'child' && a.tables.join() === b.tables.join();
  return b.via === 'own';
}

/** The error for a field, the same for unknown and unreadable ones. */
export function notPermitted(path: string): ServiceError {
  const shown = path.length > 140 ? `${path.slice(0, 140)}…` : path;
  return new ServiceError('DataError', `Field not permitted in query: ${shown}`);
}

// A Password column holds a mask: selecting it is harmless, comparing with it would reveal whether a secret
// is set.
function permits(path: FieldPath, use: FieldUse): boolean {
  return (use === 'select' && path.via === 'own') || path.column.field?.fieldtype !== 'Password';
}

function find(doctype: DocType, path: string, scope: QueryScope): FieldPath | null {
  const plain = /^`?(\w{1,140})`?$/.exec(path)?.[1];
  if (plain !== undefined) return own(doctype, plain, scope);
  const quoted = /^`tab([^`]{1,140})`\.`?(\w{1,140})`?$/.exec(path);
  if (quoted) return findIn(doctype, quoted[1] ?? '', quoted[2] ?? '', scope);
  const dotted = /^(\w[\w -]{0,139})\.`?(\w{1,140})`?$/.exec(path);
  if (!dotted) return null;
  const [, first = '', second = ''] = dotted;
  const field = doctype.fieldByName.get(first);
  if (field) return through(doctype, field, second, scope);
  return first.startsWith('tab') ? findIn(doctype, first.slice(3), second, scope) : null;
}

function findIn(doctype: DocType, ofDoctype: string, fieldname: string, scope: QueryScope): FieldPath | null {
  if (ofDoctype === doctype.name) return own(doctype, fieldname, scope);
  const tables = doctype.tables.filter((table) => table.options === ofDoctype);
  return child(doctype, tables, fieldname, scope);
}

function own(doctype: DocType, fieldname: string, scope: QueryScope): OwnPath | null {
  const column = readableColumn(doctype, fieldname, listedFields(scope, doctype));
  return column ? { via: 'own', column, nullable: mayBeNull(doctype, column) } : null;
}

function through(doctype: DocType, field: DocField, fieldname: string, scope: QueryScope): FieldPath | null {
  if (doctype.tables.includes(field)) return child(doctype, [field], fieldname, scope);
  if (field.fieldtype !== 'Link') return null;
  const link = readableColumn(doctype, field.fieldname, listedFields(scope, doctype));
  const target = scope.registry.find(field.options);
  // No statement can reach documents of a controller.
  if (!link || !target || target.rowsFrom === 'controller' || !allows(scope.user, target, 'read'))
    return null;
  const column = readableColumn(target, fieldname, readableFields(scope.user, target));
  if (!column) return null;
  const rows = scope.rowsOf ? scope.rowsOf(target) : rowFilter(scope.user, target, 'read', scope.registry);
  return { via: 'link', column, nullable: true, link, target, rows };
}

function child(
  doctype: DocType,
  tables: readonly DocField[],
  fieldname: string,
  scope: QueryScope,
): ChildPath | null {
  const mine = listedFields(scope, doctype);
  const readable = tables.filter((table) => isIn(mine, table.fieldname));
  const childDoctype = scope.registry.find(readable[0]?.options ?? '');
  if (!childDoctype) return null;
  const column = readableColumn(childDoctype, fieldname, readableFields(scope.user, childDoctype, doctype));
  if (!column) return null;
  return {
    via: 'child',
    column,
    nullable: mayBeNull(childDoctype, column),
    child: childDoctype,
    tables: readable.map((table) => table.fieldname),
  };
}

function readableColumn(doctype: DocType, fieldname: string, readable: FieldSet): DocColumn | null {
  const column = doctype.columnByName.get(fieldname);
  return column && isIn(readable, fieldname) ? column : null;
}

/** True when the column is nullable in the schema, which decides the order of its index. */
export function isNullable(doctype: DocType, column: DocColumn): boolean {
  // Columns of a view may always be null.
  return column.fieldname !== 'name' && (doctype.is_virtual || column.empty === null);
}

// Every document has `creation` and `modified`; without a test for null, ranges of these can use their index.
function mayBeNull(doctype: DocType, column: DocColumn): boolean {
  const { fieldname } = column;
  if (fieldname === 'creation' || fieldname === 'modified') return false;
  return isNullable(doctype, column);
}
