import type { Dialect } from '../db/dialect.ts';
import { ident, join, type Sql, sql } from '../db/sql.ts';
import type { FieldValue } from '../kernel/value.ts';
import { ownColumn } from './compile-condition.ts';
import { compileValue } from './compile-terms.ts';
import type { ListQuery, OrderTerm } from './list-query.ts';

/** The sort keys of a row, as `_k0`, `_k1` …, in stored form. */
export function compileKeys({ order }: ListQuery, dialect: Dialect): Sql {
  return join(order.map((term, index) => sql`${expression(term, dialect)} as ${ident(`_k${index}`)}`));
}

/** The sort keys of a row from the database. */
export function keysOfRow({ order }: ListQuery, row: Readonly<Record<string, unknown>>): FieldValue[] {
  return order.map((_, index) => {
    const value = row[`_k${index}`];
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  });
}

/** An order as text, because sort keys of one order are meaningless in another. */
export function describeOrder({ doctype, order }: ListQuery): string {
  const terms = order.map((term) => {
    if (term.by === undefined) return [term.column.fieldname, term.column.kind, term.direction];
    const { path } = term.by;
    const link = path?.via === 'link' ? path.link.fieldname : '';
    return [link, path?.column.fieldname, path?.column.kind, term.direction];
  });
  return JSON.stringify([doctype.name, terms]);
}

/** True when rows with an empty first term may follow the row with these keys. */
export function mayEndEmpty({ order: [first] }: ListQuery, [value = null]: readonly FieldValue[]): boolean {
  return first?.direction === 'desc' && value !== null && mayBeNull(first);
}

/**
 * The condition for rows after the one with these keys. `filled` leaves out the rows at the end whose first
 * term is empty (`mayEndEmpty`): an index search needs a condition without them.
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
  // A row comparison, which an index on these columns answers by a single search. It leaves out rows with an
  // empty term: in ascending order those come first anyway.
  const isComparable = ({ value, isDown, nullable }: KeysetPlace) => (isDown ? !nullable : value !== null);
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

interface KeysetPlace {
  readonly column: Sql;
  readonly value: FieldValue;
  readonly isDown: boolean;
  readonly nullable: boolean;
}

// Null sorts below every value.
function isBeyond({ column, value, isDown, nullable }: KeysetPlace): Sql {
  if (value === null) return isDown ? sql`false` : sql`${column} is not null`;
  if (!isDown) return sql`${column} > ${value}`;
  return nullable ? sql`(${column} < ${value} or ${column} is null)` : sql`${column} < ${value}`;
}

function isEqual({ column, value }: KeysetPlace): Sql {
  return value === null ? sql`${column} is null` : sql`${column} = ${value}`;
}

// Redundant, but gives an index its starting point.
function isNotBefore({ column, value, isDown, nullable }: KeysetPlace): Sql {
  if (value === null) return isDown ? sql`${column} is null` : sql`true`;
  if (!isDown) return sql`${column} >= ${value}`;
  return nullable ? sql`(${column} <= ${value} or ${column} is null)` : sql`${column} <= ${value}`;
}

function expression(term: OrderTerm, dialect: Dialect): Sql {
  return term.by === undefined ? ownColumn(term.column.fieldname) : compileValue(term.by, dialect);
}

// Every document has `creation` and `modified`, though these columns are nullable.
function mayBeNull(term: OrderTerm): boolean {
  if (term.by !== undefined) return true;
  const { fieldname } = term.column;
  return term.nullable && fieldname !== 'creation' && fieldname !== 'modified';
}
