import type { DocType } from '../doctype/doctype.ts';
import { memo, memo2 } from '../kernel/memo.ts';
import type { CurrentUser } from './user.ts';

/** Names of columns and fields, or `'all'` when all are accessible. */
export type FieldSet = ReadonlySet<string> | 'all';

interface Levels {
  readonly read: FieldSet;
  readonly write: FieldSet;
}

/**
 * The fields of `doctype` that the user may read, including standard columns and tables. A user with the
 * right to the document may read permlevel 0; a DocPerm row opens each higher level. Child fields follow the
 * permissions of `parent`.
 */
export function readableFields(user: CurrentUser, doctype: DocType, parent: DocType = doctype): FieldSet {
  return user.isAdministrator ? 'all' : levelsOf(user, doctype, parent).read;
}

/** The rows of a table with fields of its child doctype. */
export interface RowsOf {
  readonly parent: DocType;
  /** The table's fieldname. */
  readonly table: string;
}

/**
 * Whether the user may learn the values of a field in documents that they may read. A field of a child row
 * also needs the permlevel of its table. Check this before an answer that reveals a field indirectly, such as
 * a reverse link search. No user may learn passwords.
 */
export function mayLearn(user: CurrentUser, doctype: DocType, fieldname: string, rowsOf?: RowsOf): boolean {
  if (doctype.fieldByName.get(fieldname)?.fieldtype === 'Password') return false;
  if (rowsOf && !isIn(readableFields(user, rowsOf.parent), rowsOf.table)) return false;
  return isIn(readableFields(user, doctype, rowsOf?.parent), fieldname);
}

/** Whether the user may change a field, by the permlevels of the field and of its table. */
export function mayChange(user: CurrentUser, doctype: DocType, fieldname: string, rowsOf?: RowsOf): boolean {
  if (rowsOf && !isIn(writableFields(user, rowsOf.parent), rowsOf.table)) return false;
  return isIn(writableFields(user, doctype, rowsOf?.parent), fieldname);
}

/** True when the set contains the field. */
export function isIn(fields: FieldSet, fieldname: string): boolean {
  return fields === 'all' || fields.has(fieldname);
}

/** The fields that the user may change: the same rule with the write right. */
export function writableFields(user: CurrentUser, doctype: DocType, parent: DocType = doctype): FieldSet {
  return user.isAdministrator ? 'all' : levelsOf(user, doctype, parent).write;
}

/**
 * The permlevels that the user may read in documents of `doctype`: 0, and each level opened by a DocPerm row.
 */
export function readableLevels(user: CurrentUser, doctype: DocType): ReadonlySet<number> | 'all' {
  return user.isAdministrator ? 'all' : levelsWith('read', doctype, user.roles);
}

function levelsOf(user: CurrentUser, doctype: DocType, parent: DocType): Levels {
  return levelsIn(doctype)(parent, user.roles);
}

// Keyed by the fields' doctype, the doctype with the permissions, and the user's role set.
const levelsIn = memo((doctype: DocType) =>
  memo2(
    (parent: DocType, roles: ReadonlySet<string>): Levels => ({
      read: fieldsAt(doctype, levelsWith('read', parent, roles)),
      write: fieldsAt(doctype, levelsWith('write', parent, roles)),
    }),
  ),
);

function levelsWith(right: 'read' | 'write', doctype: DocType, roles: ReadonlySet<string>): Set<number> {
  const levels = new Set([0]);
  for (const row of doctype.permissions) {
    // A level for owners only cannot be decided for a whole list, so it opens nothing.
    if (row.permlevel > 0 && !row.if_owner && row.rights.has(right) && roles.has(row.role)) {
      levels.add(row.permlevel);
    }
  }
  return levels;
}

function fieldsAt(doctype: DocType, levels: ReadonlySet<number>): FieldSet {
  if (doctype.fields.every((field) => levels.has(field.permlevel))) return 'all';
  const names = new Set<string>();
  for (const column of doctype.columnByName.values()) if (!column.field) names.add(column.fieldname);
  for (const field of doctype.fields) if (levels.has(field.permlevel)) names.add(field.fieldname);
  return names;
}
