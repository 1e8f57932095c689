import type { ColumnKind, Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, render, Sql, sql } from '../db/sql.ts';
import type { DocColumn } from '../doctype/doctype.ts';
import { memo } from '../kernel/memo.ts';
import type { FieldValue } from '../kernel/value.ts';
import { compileWhere, ownColumn } from './compile-condition.ts';
import { compileAfter, compileKeys } from './compile-keyset.ts';
import { compileOrderTerms, compileTerms, type Shown } from './compile-terms.ts';
import type { ListQuery, OrderTerm, Selection } from './list-query.ts';
import { isPlain } from './present-rows.ts';

export interface ListOutput {
  /**
   * `rows`: named by fieldname for a plain query; always pass them to `presentRows`. `json`: one row with a
   * column `json`, the text of the JSON array, or null above `most` bytes.
   */
  readonly output: 'rows' | 'json';
  readonly most?: number;
  /** Cuts timestamps and times of day to whole seconds. */
  readonly wholeSeconds: boolean;
  /** Reads at most so many rows, in the order of the list; `json` is null unless they fill the page. */
  readonly walk?: number | undefined;
  /**
   * For cursors: rows include their keys (`keysOfRow`), `json` gives one row per document, and rows follow
   * the one with the keys `after`.
   */
  readonly paged?: {
    readonly keys: boolean;
    readonly after: readonly FieldValue[] | null;
    /** Only rows with a first sort term that is not empty. */
    readonly filled: boolean;
  };
}

/**
 * The statement of a list. All its text is ours or metadata; values of the request are bound. `json` is for
 * plain queries (`isPlain`), so names chosen by the request never become SQL.
 */
export function compileList(query: ListQuery, rowFilter: Sql | null, dialect: Dialect, how: ListOutput): Sql {
  if (how.output === 'json' && !isPlain(query))
    throw new Error('only a plain list can be made JSON by the database');
  const { doctype, selection, joined } = query;
  const { keys, after, filled } = how.paged ?? NOT_PAGED;
  const conditions = compileWhere(query, rowFilter, dialect, joined);
  const where = after ? both(conditions, compileAfter(query, after, dialect, filled)) : conditions;
  if (selection.select === 'terms') {
    const show: Shown = (value, kind) => shownAs(value, kind, dialect, how);
    return sql`${compileTerms(query, selection.terms, where, dialect, show, keys ? compileKeys(query, dialect) : null)}${page(query, dialect)}`;
  }
  const beside = keys ? sql`, ${compileKeys(query, dialect)}` : EMPTY;
  const table = sql`${ident(doctype.name)} as "_t"`;
  const read = how.walk === undefined ? table : compileWalk(query, table, how.walk, dialect);
  const found = sql`${read}${where ? sql` where ${where}` : EMPTY}`;
  const rows = sql`select ${compileSelection(selection, dialect, how)}${beside} from ${
    selection.select === 'count' ? found : compilePage(query, found, dialect)
  }`;
  if (how.output === 'rows' || how.paged) return rows;
  const full = how.walk === undefined ? null : query.limit;
  return sql`select ${dialect.jsonArray(rows, how.most, full)} as "json"`;
}

const NOT_PAGED = { keys: false, after: null, filled: false };

function both(conditions: Sql | null, more: Sql): Sql {
  return conditions ? sql`${conditions} and (${more})` : more;
}

// The limit keeps the conditions of the list out of the subquery, so that they cannot look rows up. SQLite sees
// that its rows are in order.
function compileWalk(query: ListQuery, table: Sql, most: number, dialect: Dialect): Sql {
  return sql`(select "_t".* from ${table} order by ${compileOrder(query, dialect)} limit ${most} + 0) as "_t"`;
}

/** From this many skipped rows for each row of the page, the names of the page are selected first. */
const DEEP = 50;

// The single row of a count has no order and no pages. A page far down takes its names from an index, which
// passes the skipped rows without reading them. PostgreSQL also computes the selection of skipped rows, so
// there any later page is selected first.
function compilePage(query: ListQuery, found: Sql, dialect: Dialect): Sql {
  const order = sql` order by ${compileOrder(query, dialect)}`;
  const rows = sql`${found}${order}${page(query, dialect)}`;
  const { doctype, limit, start } = query;
  if (doctype.rowsFrom === 'table' && limit !== null && start >= DEEP * limit) {
    const names = sql`select "_t"."name" from ${rows}`;
    // PostgreSQL might join a subquery of unknown size with the whole table, but looks up the names of an array.
    const among = dialect.name === 'postgres' ? sql`= any (array(${names}))` : sql`in (${names})`;
    return sql`${ident(doctype.name)} as "_t" where "_t"."name" ${among}${order}`;
  }
  return dialect.name === 'postgres' && start > 0 ? sql`(select "_t".* from ${rows}) as "_t"${order}` : rows;
}

// Always both and bound, so that all pages of a list share one statement.
function page({ limit, start }: ListQuery, dialect: Dialect): Sql {
  const most = limit ?? Number.MAX_SAFE_INTEGER;
  // SQLite replans a statement whenever a bare bound limit gets a value, but not for a sum.
  if (dialect.name === 'sqlite') return sql` limit ${most} + 0 offset ${start} + 0`;
  return sql` limit ${most} offset ${start}`;
}

type PlainSelection = Exclude<Selection, { select: 'terms' }>;

// Equal requests share one selection and one order object (`Remembered`), so their SQL is compiled once.
const compiledForms = memo((_: readonly OrderTerm[] | PlainSelection) => new Map<string, Sql>());

function compileOrder(query: ListQuery, dialect: Dialect): Sql {
  return once(query.order, dialect, '', () => join(compileOrderTerms(query, dialect)));
}

function compileSelection(selection: PlainSelection, dialect: Dialect, how: ListOutput): Sql {
  const form = how.wholeSeconds ? `${how.output} whole` : how.output;
  return once(selection, dialect, form, () => selectionSql(selection, dialect, how));
}

function once(
  of: readonly OrderTerm[] | PlainSelection,
  dialect: Dialect,
  form: string,
  make: () => Sql,
): Sql {
  const byForm = compiledForms(of);
  const key = `${dialect.name} ${form}`;
  let compiled = byForm.get(key);
  if (!compiled) {
    compiled = flat(make(), dialect);
    byForm.set(key, compiled);
  }
  return compiled;
}

function selectionSql(selection: PlainSelection, dialect: Dialect, how: ListOutput): Sql {
  if (selection.select === 'count') {
    return how.output === 'json'
      ? sql`${dialect.jsonObject([{ key: selection.key, value: sql`count(*)` }])} as "json"`
      : sql`count(*) as "_0"`;
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

function shown(column: DocColumn, dialect: Dialect, how: ListOutput): Sql {
  return shownAs(ownColumn(column.fieldname), column.kind, dialect, how);
}

/** A value in the output format of its kind. */
export function shownAs(
  value: Sql,
  kind: ColumnKind,
  dialect: Dialect,
  { output, wholeSeconds }: ListOutput,
): Sql {
  if (kind === 'datetime' && wholeSeconds) return dialect.wholeSeconds(value);
  if (kind === 'time' && wholeSeconds) return sql`substr(${dialect.asText(value, 'time')}, 1, 8)`;
  const isMoment = kind === 'date' || kind === 'datetime' || kind === 'time';
  return output === 'json' && isMoment ? dialect.asText(value, kind) : value;
}

/** The same SQL flattened to a single text; parts with values stay. */
function flat(query: Sql, dialect: Dialect): Sql {
  const { text, values } = render(query, (position) => dialect.hole(position));
  return values.length === 0 ? new Sql([{ text }]) : query;
}
