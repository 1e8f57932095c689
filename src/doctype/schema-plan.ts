import { createHash } from 'node:crypto';
import type { ActualTable, ColumnSpec, IndexSpec, SchemaChange, TableSpec } from '../db/dialect.ts';
import { ServiceError } from '../kernel/errors.ts';
import { likeField, longest, problemOf, withKey } from './composite-indexes.ts';
import type { DocColumn, DocType } from './doctype.ts';
import { asParsed } from './references.ts';
import { sideColumnsOf } from './standard-fields.ts';

/**
 * The table of a doctype: its columns, then `_revision` and the side columns, and its indexes, with those of
 * Links to missing doctypes. Not for virtual doctypes.
 */
export function tableOf(given: DocType): TableSpec {
  const doctype = asParsed(given);
  return {
    name: doctype.name,
    primaryKey: 'name',
    columns: [
      ...doctype.columns.map(columnSpec),
      ...(doctype.istable ? [] : [{ name: '_revision', kind: 'integer', notNullDefault: 1 } as const]),
      ...sideColumnsOf(doctype).map(columnSpec),
    ],
    indexes: indexesOf(doctype),
  };
}

/** The same for one engine: SQLite has no index for `like`. */
export function tableOn(engine: 'sqlite' | 'postgres', doctype: DocType): TableSpec {
  const table = tableOf(doctype);
  return engine === 'postgres' ? table : { ...table, indexes: table.indexes.filter(({ like }) => !like) };
}

function columnSpec(column: DocColumn): ColumnSpec {
  return { name: column.fieldname, kind: column.kind, notNullDefault: column.empty };
}

// A list usually asks for the newest rows with some value. Where few values share many rows, the index on the
// value includes the doctype's order, so that a page is read from the index in order. Elsewhere the rows of a
// value are few and quickly sorted, and a save does not rewrite an index without `modified`.
function indexesOf(doctype: DocType): readonly IndexSpec[] {
  const sortField = isShort(doctype.columnByName.get(doctype.sort_field)) ? doctype.sort_field : 'modified';
  const times = UNCHANGING.has(doctype.name) ? ['creation'] : ['modified', 'creation'];
  const wanted = doctype.istable
    ? [['parent', 'parenttype', 'parentfield', 'idx']]
    : [...new Set([...times, sortField])].map((field) => [field, 'name']);
  const indexes = wanted.map((columns) => indexSpec(doctype, columns, false));
  for (const { fieldname, field } of doctype.columns) {
    if (!field) continue;
    const pointed = field.fieldtype === 'Link' || field.fieldtype === 'Dynamic Link';
    if (field.unique) indexes.push(indexSpec(doctype, [fieldname], true));
    else if ((field.search_index || pointed) && fieldname !== sortField) {
      const hasFewValues = field.fieldtype === 'Select' || field.fieldtype === 'Check';
      // A walk down a tree reads only this index.
      const isParent = fieldname === doctype.nsm_parent_field;
      // Lists are also ordered by such a field, and then by name.
      const isOrder = !pointed && !doctype.istable && problemOf(doctype, [fieldname]) === null;
      const newest = hasFewValues && !doctype.istable;
      const order = newest ? [sortField, 'name'] : isParent || isOrder ? ['name'] : [];
      indexes.push(indexSpec(doctype, [fieldname, ...order], false));
    }
  }
  for (const index of doctype.indexes) {
    const like = likeField(index);
    indexes.push(like === null ? indexSpec(doctype, withKey(index), false) : likeSpec(doctype, like));
  }
  // A definition may ask for an automatic index.
  return [...new Map(indexes.map((index) => [index.name, index])).values()];
}

/** Built-in doctypes whose documents never change: an index on `modified` would repeat that on `creation`. */
const UNCHANGING: ReadonlySet<string> = new Set(['Version']);

function isShort(column: DocColumn | undefined): boolean {
  return column !== undefined && longest(column) !== null;
}

// The name describes the index, so a changed index has a new name, and planning compares names only.
function indexSpec(doctype: DocType, columns: readonly string[], unique: boolean): IndexSpec {
  return { name: indexName(doctype, columns, unique ? 'unique' : ''), columns, unique };
}

function likeSpec(doctype: DocType, fieldname: string): IndexSpec {
  const columns = [fieldname];
  return { name: indexName(doctype, columns, 'like'), columns, unique: false, like: true };
}

function indexName(doctype: DocType, columns: readonly string[], kind: string): string {
  const digest = createHash('sha256')
    .update(`${doctype.name}|${columns.join(',')}|${kind}`)
    .digest('hex');
  return `_ix_${digest.slice(0, 12)}`;
}

/**
 * The changes that make `actual` (null: no such table) fit `wanted`. No stored value is lost: unwanted
 * columns stay, and a column changes its kind only where every value survives. A key is the name, whose kind
 * changes after `checkNames` only.
 * @throws ServiceError ValidationError naming the fields whose kind cannot change
 */
export function planTable(wanted: TableSpec, actual: ActualTable | null): SchemaChange[] {
  if (!actual) return [{ change: 'create_table', table: wanted }];
  const columns = planColumns(wanted, actual);
  const wantedIndexes = new Set(wanted.indexes.map((index) => index.name));
  const actualIndexes = new Set(actual.indexes.map((index) => index.name));
  const dropped = actual.indexes.map(({ name }) => name).filter((name) => !wantedIndexes.has(name));
  const created = wanted.indexes.filter((index) => !actualIndexes.has(index.name));
  const ours = [...dropped, ...(actual.unfinished ?? [])].filter((name) => name.startsWith('_ix_'));
  return [
    ...ours.map((index) => ({ change: 'drop_index', table: wanted.name, index }) as const),
    ...columns,
    ...created.map((index) => ({ change: 'create_index', table: wanted.name, index }) as const),
  ];
}

function planColumns(wanted: TableSpec, actual: ActualTable): SchemaChange[] {
  const changes: SchemaChange[] = [];
  const problems: string[] = [];
  const existing = new Map(actual.columns.map((column) => [column.name.toLowerCase(), column]));
  for (const column of wanted.columns) {
    const from = existing.get(column.name.toLowerCase());
    if (!from) changes.push({ change: 'add_column', table: wanted.name, column });
    else if (from.name !== column.name) {
      problems.push(`${wanted.name} already has a column ${from.name}: ${column.name} differs only in case`);
    } else if (from.kind === column.kind && from.notNullDefault === column.notNullDefault) {
      // Kept: the values of a removed field are there again when the field returns.
    } else if (column.name === wanted.primaryKey || isLossless(from, column)) {
      changes.push({ change: 'alter_column', table: wanted.name, from, to: column });
    } else {
      problems.push(
        `${wanted.name}: ${column.name} holds ${from.kind} values and cannot become ${column.kind}`,
      );
    }
  }
  const [first] = problems;
  if (first !== undefined) throw new ServiceError('ValidationError', first, { messages: problems });
  return changes;
}

/** True when every value survives. */
export function isLossless(from: ColumnSpec, to: ColumnSpec): boolean {
  return to.kind === from.kind || to.kind === 'text' || (from.kind === 'integer' && to.kind === 'real');
}
