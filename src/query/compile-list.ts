import type { ColumnKind, Dialect } from '../db/dialect.ts';
import { EMPTY, ident, join, render, Sql, sql } from '../db/sql.ts';
import type { DocColumn } from '../doctype/doctype.ts';
import type { FieldValue } from '../kernel/value.ts';
import { compileWhere, ownColumn } from './compile-condition.ts';
import { compileAfter, compileKeys } from './compile-keyset.ts';
import { compileOrderTerms, compileTerms, type Shown } from './compile-terms.ts';
import type { ListQuery, OrderTerm, Selection } from './list-query.ts';
import { isPlain } from './present-rows.ts';

export interface ListOutput {
  /**
   * `rows`: named by fieldname when the query is plain; always to be given to `presentRows`. `json`: one row
   * whose column `json` is the text of the JSON array, null for one of more than `most` bytes.
   */
  readonly output: 'rows' | 'json';
  readonly most?: number;
  /** Cuts timestamps and times of day to whole seconds. */
  readonly wholeSeconds: boolean;
  /** For cursors: rows have their keys (`keysOfRow`), `json` is one row for each document, and rows follow those of `after`. */
  readonly paged?: {
    readonly keys: boolean;
    readonly after: readonly FieldValue[] | null;
    /** Only those whose first term of the order is not empty. */
    readonly filled: boolean;
  };
}

/**
 * The statement of a list. Every text in it is ours or metadata; what the request said is bound.
 * `json` is for plain queries (`isPlain`): names of the request's own choosing never become SQL.
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
  const found = sql`${ident(doctype.name)} as "_t"${where ? sql` where ${where}` : EMPTY}`;
  const rows = sql`select ${compileSelection(selection, dialect, how)}${beside} from ${
    selection.select === 'count' ? found : compilePage(query, found, dialect)
  }`;
  if (how.output === 'rows' || how.paged) return rows;
  return sql`select ${dialect.jsonArray(rows, how.most)} as "json"`;
}

const NOT_PAGED = { keys: false, after: null, filled: false };

function both(conditions: Sql | null, more: Sql): Sql {
  return conditions ? sql`${conditions} and (${more})` : more;
}

// One row of a count has neither order nor pages. PostgreSQL makes what is selected of the rows before the page too, and throws it away:
// there, a page further on is found first.
function compilePage(query: ListQuery, found: Sql, dialect: Dialect): Sql {
  const order = sql` order by ${compileOrder(query, dialect)}`;
  const rows = sql`${found}${order}${page(query, dialect)}`;
  return dialect.name === 'postgres' && query.start > 0
    ? sql`(select "_t".* from ${rows}) as "_t"${order}`
    : rows;
}

// Always both, bound, so that every page of a list is the same statement.
function page({ limit, start }: ListQuery, dialect: Dialect): Sql {
  const most = limit ?? Number.MAX_SAFE_INTEGER;
  // SQLite plans a statement anew each time that a plain bound limit is given a value; a sum it does not look into.
  if (dialect.name === 'sqlite') return sql` limit ${most} + 0 offset ${start} + 0`;
  return sql` limit ${most} offset ${start}`;
}

type PlainSelection = Exclude<Selection, { select: 'terms' }>;

// A selection and an order are one object for all requests that read alike (`Remembered`): their SQL is made once.
const knownOrders = new WeakMap<readonly OrderTerm[], Map<string, Sql>>();
const knownSelections = new WeakMap<PlainSelection, Map<string, Sql>>();

function compileOrder(query: ListQuery, dialect: Dialect): Sql {
  return once(knownOrders, query.order, dialect, '', () => join(compileOrderTerms(query, dialect)));
}

function compileSelection(selection: PlainSelection, dialect: Dialect, how: ListOutput): Sql {
  const form = how.wholeSeconds ? `${how.output} whole` : how.output;
  return once(knownSelections, selection, dialect, form, () => selectionSql(selection, dialect, how));
}

function once<K extends object>(
  known: WeakMap<K, Map<string, Sql>>,
  of: K,
  dialect: Dialect,
  form: string,
  make: () => Sql,
): Sql {
  let byForm = known.get(of);
  if (!byForm) {
    byForm = new Map();
    known.set(of, byForm);
  }
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

function shown(column: DocColumn, dialect: Dialect, how: ListOutput): Sql {
  return shownAs(ownColumn(column.fieldname), column.kind, dialect, how);
}

/** A value as a list shows its kind. */
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

/** The same SQL as a single text, cheap to put together; what holds values stays as it is. */
function flat(query: Sql, dialect: Dialect): Sql {
  const { text, values } = render(query, (position) => dialect.hole(position));
  return values.length === 0 ? new Sql([{ text }]) : query;
}
