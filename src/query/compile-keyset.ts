import type { Dialect } from '../db/dialect.ts';
import { ident, join, type Sql, sql } from '../db/sql.ts';
import type { FieldValue } from '../kernel/value.ts';
import { ownColumn } from './compile-condition.ts';
import { compileValue } from './compile-terms.ts';
import type { ListQuery, OrderTerm } from './list-query.ts';

/** The values that decide a row's place in the order, as `_k0`, `_k1` …, in their stored form. */
export function compileKeys({ order }: ListQuery, dialect: Dialect): Sql {
  return join(order.map((term, index) => sql`${expression(term, dialect)} as ${ident(`_k${index}`)}`));
}

/** The same values of a row that the database gave. */
export function keysOfRow({ order }: ListQuery, row: Readonly<Record<string, unknown>>): FieldValue[] {
  return order.map((_, index) => {
    const value = row[`_k${index}`];
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  });
}

/** What an order means, as text: values of one order mean nothing in another. */
export function describeOrder({ doctype, order }: ListQuery): string {
  const terms = order.map((term) => {
    if (term.by === undefined) return [term.column.fieldname, term.column.kind, term.direction];
    const { path } = term.by;
    const link = path?.via === 'link' ? path.link.fieldname : '';
    return [link, path?.column.fieldname, path?.column.kind, term.direction];
  });
  return JSON.stringify([doctype.name, terms]);
}

/** True when rows with an empty first term may end the list, after the one with these values. */
export function mayEndEmpty({ order: [first] }: ListQuery, [value = null]: readonly FieldValue[]): boolean {
  return first?.direction === 'desc' && value !== null && mayBeNull(first);
}

/**
 * The condition that keeps the rows after the one with these values, by the query's order. `filled` leaves out those at the end
 * whose first term is empty (`mayEndEmpty`): an index searches the others only when nothing is said about these.
 */
export function compileAfter(
  { order }: ListQuery,
  values: readonly FieldValue[],
  dialect: Dialect,
  filled: boolean,
): Sql {
  const terms = order.map((term, index) => ({
    column: expression(term, dialect),
    value: values[index] ?? null,
    isDown: term.direction === 'desc',
    nullable: mayBeNull(term) && !(filled && index === 0),
  }));
  const [first] = terms;
  if (!first) return sql`true`;
  // One comparison of rows is what an index on these columns answers by a single search. It leaves rows with an empty term out: upwards those
  // are before every value anyway.
  const isComparable = ({ value, isDown, nullable }: Place) => (isDown ? !nullable : value !== null);
  if (terms.every((term) => isComparable(term) && term.isDown === first.isDown)) {
    const columns = join(terms.map(({ column }) => column));
    const given = join(terms.map(({ value }) => sql`${value}`));
    return first.isDown ? sql`(${columns}) < (${given})` : sql`(${columns}) > (${given})`;
  }
  const condition = terms.reduceRight<Sql | null>((rest, term) => {
    const beyond = isBeyond(term);
    return rest ? sql`(${beyond} or (${isEqual(term)} and ${rest}))` : beyond;
  }, null);
  return sql`${isNotBefore(first)} and ${condition ?? sql`true`}`;
}

interface Place {
  readonly column: Sql;
  readonly value: FieldValue;
  readonly isDown: boolean;
  readonly nullable: boolean;
}

// Null is below every value.
function isBeyond({ column, value, isDown, nullable }: Place): Sql {
  if (value === null) return isDown ? sql`false` : sql`${column} is not null`;
  if (!isDown) return sql`${column} > ${value}`;
  return nullable ? sql`(${column} < ${value} or ${column} is null)` : sql`${column} < ${value}`;
}

function isEqual({ column, value }: Place): Sql {
  return value === null ? sql`${column} is null` : sql`${column} = ${value}`;
}

// Says nothing that the rest does not, but an index can start from it.
function isNotBefore({ column, value, isDown, nullable }: Place): Sql {
  if (value === null) return isDown ? sql`${column} is null` : sql`true`;
  if (!isDown) return sql`${column} >= ${value}`;
  return nullable ? sql`(${column} <= ${value} or ${column} is null)` : sql`${column} <= ${value}`;
}

function expression(term: OrderTerm, dialect: Dialect): Sql {
  return term.by === undefined ? ownColumn(term.column.fieldname) : compileValue(term.by, dialect);
}

// Every document has been created and modified, though their columns are declared nullable.
function mayBeNull(term: OrderTerm): boolean {
  if (term.by !== undefined) return true;
  const { fieldname } = term.column;
  return term.nullable && fieldname !== 'creation' && fieldname !== 'modified';
}
