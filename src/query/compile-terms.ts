import type { ColumnKind, Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, Sql, sql } from '../db/sql.ts';
import { nameText } from '../doctype/numbered.ts';
import { aggregateKind, compileAggregate } from './aggregate.ts';
import { linkedColumn, ownColumn, rowColumn } from './compile-condition.ts';
import { type FieldPath, isSamePath } from './field-path.ts';
import type { ListQuery, OrderTerm, SelectedTerm, Value } from './list-query.ts';
import { compilePeriod } from './period.ts';

/** Formats a value for the list, by its kind. */
export type Shown = (value: Sql, kind: ColumnKind) => Sql;

/** The column of the document's name, for fetching child rows later. */
export const NAME_COLUMN = '_name';

/** The clauses of a list with computed terms: `_0`, `_1` …. */
export function compileTerms(
  query: ListQuery,
  terms: readonly SelectedTerm[],
  where: Sql | null,
  dialect: Dialect,
  shown: Shown,
  keys: Sql | null,
): Sql {
  const columns: Sql[] = [];
  // Positions in the select list, for `group by` and `order by`: two expressions with bound values do not
  // count as equal.
  const places: { readonly value: Value; readonly place: number }[] = [];
  for (const [position, term] of terms.entries()) {
    if (term.value === 'rows') continue;
    columns.push(sql`${shown(compileValue(term, dialect), kindOf(term))} as ${ident(`_${position}`)}`);
    places.push({ value: term, place: columns.length });
  }
  function placeOf(value: Value): Sql {
    let place = places.find((one) => isSameValue(one.value, value))?.place;
    if (place === undefined) {
      columns.push(sql`${compileValue(value, dialect)} as ${ident(`_h${columns.length}`)}`);
      place = columns.length;
      places.push({ value, place });
    }
    return new Sql([{ text: String(place) }]);
  }
  const { groups, order } = query;
  const grouping = groups?.map((path) => placeOf({ value: 'field', path })) ?? [];
  const ordering =
    groups === null
      ? compileOrderTerms(query, dialect)
      : order.map((term) => dialect.orderBy(placeOf(orderValue(term)), term.direction, true));
  if (terms.some(({ value }) => value === 'rows')) columns.push(sql`"_t"."name" as ${ident(NAME_COLUMN)}`);
  if (keys) columns.push(keys);
  return sql`select ${join(columns)} from ${fromClause(query)}${where ? sql` where ${where}` : EMPTY}${
    grouping.length > 0 ? sql` group by ${join(grouping)}` : EMPTY
  }${ordering.length > 0 ? sql` order by ${join(ordering)}` : EMPTY}`;
}

/** The doctype's table, joined with the child table that the list has rows of. */
export function fromClause({ doctype, joined }: ListQuery): Sql {
  const table = sql`${ident(doctype.name)} as "_t"`;
  if (!joined) return table;
  const fields = join(joined.tables.map((field) => sql`${field}`));
  return sql`${table} left join ${ident(joined.child.name)} as "_j" on "_j"."parent" = ${nameText(doctype, sql`"_t"."name"`)}
    and "_j"."parenttype" = ${doctype.name} and "_j"."parentfield" in (${fields})`;
}

/** The terms of an order; rows of one document follow the order of its child rows. */
export function compileOrderTerms({ order, joined, groups }: ListQuery, dialect: Dialect): Sql[] {
  const terms = order.map((term) =>
    term.by === undefined
      ? dialect.orderBy(ownColumn(term.column.fieldname), term.direction, term.nullable)
      : dialect.orderBy(compileValue(term.by, dialect), term.direction, true),
  );
  if (joined && groups === null) terms.push(sql`"_j"."idx"`, sql`"_j"."name"`);
  return terms;
}

/** A value of a row or of a group. */
export function compileValue(value: Value, dialect: Dialect): Sql {
  if (value.value === 'field') return compilePath(value.path, dialect);
  return compileAggregate(value, value.path && compilePath(value.path, dialect), dialect);
}

function compilePath(path: FieldPath, dialect: Dialect): Sql {
  return compilePeriod(path, columnOf(path, dialect), dialect);
}

function columnOf(path: FieldPath, dialect: Dialect): Sql {
  if (path.via === 'own') return ownColumn(path.column.fieldname);
  return path.via === 'link' ? linkedColumn(path, dialect) : rowColumn(path.column.fieldname);
}

function kindOf(value: Value): ColumnKind {
  if (value.value === 'aggregate') return aggregateKind(value);
  return value.path.period === undefined ? value.path.column.kind : 'date';
}

function orderValue(term: OrderTerm): Value {
  if (term.by !== undefined) return term.by;
  return { value: 'field', path: { via: 'own', column: term.column, nullable: term.nullable } };
}

function isSameValue(a: Value, b: Value): boolean {
  if (a.value === 'aggregate' && b.value === 'aggregate' && (a.of !== b.of || a.distinct !== b.distinct))
    return false;
  if (a.value !== b.value || a.path === null || b.path === null)
    return a.value === b.value && a.path === b.path;
  return isSamePath(a.path, b.path);
}
