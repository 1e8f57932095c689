import type { ColumnKind } from '../db/dialect.ts';
import type { FieldValue } from '../kernel/value.ts';
import { compareValues, evaluateTest } from './evaluate-test.ts';
import type { Filter, ListQuery, OrderTerm } from './list-query.ts';

/** A row in its stored form; a child table is an array of such rows under its field. */
export type PlainRow = { readonly [fieldname: string]: unknown };

type Row = Record<string, FieldValue>;
type Keeps = (row: PlainRow) => boolean;

/** True when rows alone can answer the query: it follows no link, walks no tree, nests no conditions and shows the rows' own columns. */
export function appliesToRows(query: ListQuery): boolean {
  const { filters, orFilters, nested, selection, groups, order } = query;
  if (
    nested.length > 0 ||
    selection.select === 'terms' ||
    groups !== null ||
    order.some(({ by }) => by !== undefined)
  )
    return false;
  return [...filters, ...orFilters].every(({ path, test }) => path.via !== 'link' && test.test !== 'tree');
}

/**
 * The rows that the query keeps, in its order, cut to its page: exactly what the database would answer if they were a
 * table.
 */
export function applyListQuery<R extends PlainRow>(query: ListQuery, rows: readonly R[]): R[] {
  const kept = filterRows(query, rows);
  kept.sort((a, b) => compareRows(query.order, a, b));
  return kept.slice(query.start, query.limit === null ? undefined : query.start + query.limit);
}

/** The rows that the query's filters keep, in the order given. */
export function filterRows<R extends PlainRow>({ filters, orFilters }: ListQuery, rows: readonly R[]): R[] {
  const all = conditionsOf(filters);
  const some = orFilters.map((filter) => conditionOf([filter]));
  return rows.filter(
    (row) => all.every((keeps) => keeps(row)) && (some.length === 0 || some.some((keeps) => keeps(row))),
  );
}

/** The columns that the query selects, in the form that the database gives to `presentRows`. */
export function selectColumns(
  { selection }: ListQuery,
  rows: readonly PlainRow[],
  wholeSeconds: boolean,
): Row[] {
  if (selection.select === 'count') return [{ _0: rows.length }];
  if (selection.select === 'terms') throw new Error('rows alone have only columns');
  const isAliased = selection.columns.some(({ column, key }) => column.fieldname !== key);
  return rows.map((row) => {
    const selected: Row = {};
    for (const [position, { column }] of selection.columns.entries()) {
      const key = isAliased ? `_${position}` : column.fieldname;
      selected[key] = shown(cellOf(row, column.fieldname), column.kind, wholeSeconds);
    }
    return selected;
  });
}

// Conditions on the same child table are asked of one and the same row of it.
function conditionsOf(filters: readonly Filter[]): Keeps[] {
  const byTable = Map.groupBy(filters, ({ path }, index) =>
    path.via === 'child' ? path.tables.join(' ') : index,
  );
  return [...byTable.values()].map(conditionOf);
}

function conditionOf(filters: readonly Filter[]): Keeps {
  const tests = filters.map(({ path, test }) => {
    const passes = evaluateTest({ kind: path.column.kind, nullable: path.nullable }, test);
    return (row: PlainRow) => passes(cellOf(row, path.column.fieldname));
  });
  const keeps: Keeps = (row) => tests.every((passes) => passes(row));
  const path = filters[0]?.path;
  if (path?.via !== 'child') return keeps;
  return (row) => path.tables.some((table) => childRows(row, table).some(keeps));
}

function childRows(row: PlainRow, table: string): readonly PlainRow[] {
  const rows = row[table];
  return Array.isArray(rows) ? rows : [];
}

function cellOf(row: PlainRow, fieldname: string): FieldValue {
  const value = row[fieldname];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function compareRows(order: readonly OrderTerm[], a: PlainRow, b: PlainRow): number {
  for (const { column, direction } of order.filter((term) => term.by === undefined)) {
    const compared = compareValues(cellOf(a, column.fieldname), cellOf(b, column.fieldname));
    if (compared !== 0) return direction === 'asc' ? compared : -compared;
  }
  return 0;
}

function shown(value: FieldValue, kind: ColumnKind, wholeSeconds: boolean): FieldValue {
  if (!wholeSeconds || typeof value !== 'string') return value;
  return kind === 'datetime' ? value.slice(0, 19) : kind === 'time' ? value.slice(0, 8) : value;
}
