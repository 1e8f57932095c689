import type { Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, render, Sql, sql } from '../db/sql.ts';
import type { DocColumn } from '../doctype/doctype.ts';
import { compileWhere, ownColumn } from './compile-condition.ts';
import type { ListQuery, OrderTerm, Selection } from './list-query.ts';
import { isPlain } from './present-rows.ts';

export interface ListOutput {
  /** `rows`: named by fieldname when the query is plain; always to be given to `presentRows`. `json`: one row whose column `json` is the text of the JSON array. */
  readonly output: 'rows' | 'json';
  /** Cuts timestamps and times of day to whole seconds. */
  readonly wholeSeconds: boolean;
}

/**
 * The statement of a list. Every text in it is ours or metadata; what the request said is bound.
 * `json` is for plain queries (`isPlain`): names of the request's own choosing never become SQL.
 */
export function compileList(query: ListQuery, rowFilter: Sql | null, dialect: Dialect, how: ListOutput): Sql {
  if (how.output === 'json' && !isPlain(query))
    throw new Error('only a plain list can be made JSON by the database');
  const { doctype, filters, orFilters, selection } = query;
  const where = compileWhere(doctype, filters, orFilters, rowFilter, dialect);
  const rows = sql`select ${compileSelection(selection, dialect, how)} from ${ident(doctype.name)} as "_t"${
    where ? sql` where ${where}` : EMPTY
  }${selection.select === 'count' ? EMPTY : compilePage(query, dialect)}`;
  return how.output === 'json' ? sql`select ${dialect.jsonArray(rows)} as "json"` : rows;
}

// One row of a count has neither order nor pages.
function compilePage(query: ListQuery, dialect: Dialect): Sql {
  const order = join(query.order.map((term) => compileTerm(term, dialect)));
  // Always both, bound, so that every page of a list is the same statement.
  return sql` order by ${order} limit ${query.limit ?? Number.MAX_SAFE_INTEGER} offset ${query.start}`;
}

function compileTerm({ column, direction, nullable }: OrderTerm, dialect: Dialect): Sql {
  return dialect.orderBy(ownColumn(column.fieldname), direction, nullable);
}

// A selection is one object for all requests that name the same fields, so its SQL text is made once for each output.
const known = new WeakMap<Selection, Map<string, Sql>>();

function compileSelection(selection: Selection, dialect: Dialect, how: ListOutput): Sql {
  const key = `${dialect.name} ${how.output} ${how.wholeSeconds}`;
  let byOutput = known.get(selection);
  if (!byOutput) {
    byOutput = new Map();
    known.set(selection, byOutput);
  }
  let compiled = byOutput.get(key);
  if (!compiled) {
    compiled = flat(selectionSql(selection, dialect, how), dialect);
    byOutput.set(key, compiled);
  }
  return compiled;
}

function selectionSql(selection: Selection, dialect: Dialect, how: ListOutput): Sql {
  if (selection.select === 'count') {
    return how.output === 'json'
      ? sql`${dialect.jsonObject([{ key: selection.key, value: sql`count(*)` }])} as "json"`
      : sql`count(*) as ${ident('_0')}`;
  }
  const values = selection.columns.map(({ column }) => shown(column, dialect, how));
  if (how.output === 'rows') {
    const isAliased = selection.columns.some(({ column, key }) => column.fieldname !== key);
    return join(
      selection.columns.map(({ column }, position) => {
        const name = isAliased ? `_${position}` : column.fieldname;
        return sql`${values[position] ?? EMPTY} as ${ident(name)}`;
      }),
    );
  }
  const pairs = selection.columns.map(({ column }, position) => ({
    key: column.fieldname,
    value: values[position] ?? EMPTY,
  }));
  return sql`${dialect.jsonObject(pairs)} as "json"`;
}

function shown(column: DocColumn, dialect: Dialect, { output, wholeSeconds }: ListOutput): Sql {
  const value = ownColumn(column.fieldname);
  if (column.kind === 'datetime' && wholeSeconds) return dialect.wholeSeconds(value);
  if (column.kind === 'time' && wholeSeconds) return sql`substr(${dialect.asText(value, 'time')}, 1, 8)`;
  const isMoment = column.kind === 'date' || column.kind === 'datetime' || column.kind === 'time';
  return output === 'json' && isMoment ? dialect.asText(value, column.kind) : value;
}

/** The same SQL as a single text, cheap to put together; what holds values stays as it is. */
function flat(query: Sql, dialect: Dialect): Sql {
  const { text, values } = render(query, (position) => dialect.hole(position));
  return values.length === 0 ? new Sql([{ text }]) : query;
}
