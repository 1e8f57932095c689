import type { ColumnKind } from '../db/dialect.ts';
import type { FieldValue } from '../kernel/value.ts';
import { compareValues, evaluateTest } from './evaluate-test.ts';
import type { Filter, ListQuery, OrderTerm } from './list-query.ts';

/** A row in its stored form; a child table is an array of such rows under its field. */
export type PlainRow = { readonly [fieldname: string]: unknown };

type Row = Record<string, FieldValue>;
/** Steps that pauses before each value, because a long text takes a while. */
type Steps<T> = Generator<undefined, T>;
type Keeps = (row: PlainRow) => Steps<boolean>;

/**
 * True when a query needs nothing but rows: it follows no link, walks no tree, nests no conditions and
 * selects only own columns.
 */
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

/** The rows of a page, filtered and sorted: exactly the answer of a database with these rows in a table. */
export function applyListQuery<R extends PlainRow>(query: ListQuery, rows: readonly R[]): R[] {
  const work = filterRows(query, rows);
  let step = work.next();
  while (!step.done) step = work.next();
  return pageOf(query, step.value);
}

/** The rows that match the query's filters, in the given order. */
export function* filterRows<R extends PlainRow>(
  { filters, orFilters }: ListQuery,
  rows: readonly R[],
): Steps<R[]> {
  const all = conditionsOf(filters);
  const some = orFilters.map((filter) => conditionOf([filter]));
  const kept: R[] = [];
  for (const row of rows) {
    if ((yield* everyOf(all, row)) && (some.length === 0 || (yield* someOf(some, row)))) kept.push(row);
  }
  return kept;
}

/** Sorts filtered rows by the query's order, and cuts them to its page. */
export function pageOf<R extends PlainRow>(query: ListQuery, kept: R[]): R[] {
  kept.sort((a, b) => compareRows(query.order, a, b));
  return kept.slice(query.start, query.limit === null ? undefined : query.start + query.limit);
}

/** The selected columns, in the form in which the database passes them to `presentRows`. */
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

// Conditions on the same child table must hold in one and the same row.
function conditionsOf(filters: readonly Filter[]): Keeps[] {
  const byTable = Map.groupBy(filters, ({ path }, index) =>
    path.via === 'child' ? path.tables.join(' ') : index,
  );
  return [...byTable.values()].map(conditionOf);
}

function conditionOf(filters: readonly Filter[]): Keeps {
  const tests = filters.map(({ path, test }): Keeps => {
    const passes = evaluateTest({ kind: path.column.kind, nullable: path.nullable }, test);
    return function* (row) {
      yield;
      return passes(cellOf(row, path.column.fieldname));
    };
  });
  const path = filters[0]?.path;
  if (path?.via !== 'child') return (row) => everyOf(tests, row);
  return function* (row) {
    for (const child of path.tables.flatMap((table) => childRows(row, table))) {
      if (yield* everyOf(tests, child)) return true;
    }
    return false;
  };
}

function* everyOf(conditions: readonly Keeps[], row: PlainRow): Steps<boolean> {
  for (const keeps of conditions) if (!(yield* keeps(row))) return false;
  return true;
}

function* someOf(conditions: readonly Keeps[], row: PlainRow): Steps<boolean> {
  for (const keeps of conditions) if (yield* keeps(row)) return true;
  return false;
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
