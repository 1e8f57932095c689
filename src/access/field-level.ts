import type { DocType } from '../doctype/doctype.ts';
import type { CurrentUser } from './user.ts';

/** Names of columns and fields, or `'all'` when nothing is withheld. */
export type FieldSet = ReadonlySet<string> | 'all';

interface Levels {
  readonly read: FieldSet;
  readonly write: FieldSet;
}

// By the fields' doctype, by the doctype that holds the permissions, by the user's role set.
const known = new WeakMap<DocType, WeakMap<DocType, WeakMap<ReadonlySet<string>, Levels>>>();

/**
 * What the user may see of `doctype`'s fields, standard columns and tables included: permlevel 0 always (given the right to
 * the document), higher levels by a DocPerm row of that level. Child fields follow the permissions of `parent`.
 */
export function readableFields(user: CurrentUser, doctype: DocType, parent: DocType = doctype): FieldSet {
  return user.isAdministrator ? 'all' : levelsOf(user, doctype, parent).read;
}

/** The rows of a table, which hold fields of its child doctype. */
export interface RowsOf {
  readonly parent: DocType;
  /** The table's fieldname. */
  readonly table: string;
}

/**
 * May the user learn what a field holds, in documents that they may read? A field of rows counts with its table. What
 * answers a question about a field by another name, such as a search for what links to a document, asks this first.
 * Passwords are for nobody.
 */
export function mayLearn(user: CurrentUser, doctype: DocType, fieldname: string, rowsOf?: RowsOf): boolean {
  if (doctype.fieldByName.get(fieldname)?.fieldtype === 'Password') return false;
  if (rowsOf && !isIn(readableFields(user, rowsOf.parent), rowsOf.table)) return false;
  return isIn(readableFields(user, doctype, rowsOf?.parent), fieldname);
}

/** May the user change a field, by its permlevel and that of the table whose rows hold it? */
export function mayChange(user: CurrentUser, doctype: DocType, fieldname: string, rowsOf?: RowsOf): boolean {
  if (rowsOf && !isIn(writableFields(user, rowsOf.parent), rowsOf.table)) return false;
  return isIn(writableFields(user, doctype, rowsOf?.parent), fieldname);
}

/** True of a field that the set holds. */
export function isIn(fields: FieldSet, fieldname: string): boolean {
  return fields === 'all' || fields.has(fieldname);
}

/** What the user may change, by the same rule with the write right. */
export function writableFields(user: CurrentUser, doctype: DocType, parent: DocType = doctype): FieldSet {
  return user.isAdministrator ? 'all' : levelsOf(user, doctype, parent).write;
}

/** The permlevels whose fields the user may see in documents of `doctype`: 0, and those that a DocPerm row opens. */
export function readableLevels(user: CurrentUser, doctype: DocType): ReadonlySet<number> | 'all' {
  return user.isAdministrator ? 'all' : levelsWith('read', doctype, user.roles);
}

function levelsOf(user: CurrentUser, doctype: DocType, parent: DocType): Levels {
  let byParent = known.get(doctype);
  if (!byParent) {
    byParent = new WeakMap();
    known.set(doctype, byParent);
  }
  let byRoles = byParent.get(parent);
  if (!byRoles) {
    byRoles = new WeakMap();
    byParent.set(parent, byRoles);
  }
  let levels = byRoles.get(user.roles);
  if (!levels) {
    levels = {
      read: fieldsAt(doctype, levelsWith('read', parent, user.roles)),
      write: fieldsAt(doctype, levelsWith('write', parent, user.roles)),
    };
    byRoles.set(user.roles, levels);
  }
  return levels;
}

function levelsWith(right: 'read' | 'write', doctype: DocType, roles: ReadonlySet<string>): Set<number> {
  const levels = new Set([0]);
  for (const row of doctype.permissions) {
    // A level that only owners have cannot be decided for a whole list, so it opens nothing.
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
