import { LIMITS } from '../../kernel/limits.ts';
import {
  changeStatements,
  createTable,
  type DdlStyle,
  jsonKey,
  keyStatements,
  literal,
  quote,
} from '../ddl.ts';
import type { ColumnKind, ColumnSpec, Dialect } from '../dialect.ts';
import { foldPattern } from '../fold.ts';
import { chunks, ident, join, render, type Sql, type Statement, sql } from '../sql.ts';

const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  date: 'TEXT',
  datetime: 'TEXT',
  time: 'TEXT',
};

const hole = () => '?';

/** Renders for SQLite. */
export function renderSqlite(query: Sql): Statement {
  return render(query, hole);
}

/** Requires SQLite 3.51 or later, and the functions `fold_like` and `real_text` of our connections. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  schema: null,
  hole,
  columnType: (kind) => TYPES[kind],
  like(column, pattern) {
    const folded = foldPattern(pattern);
    // SQLite's own LIKE folds ASCII exactly and needs no call into JavaScript, but over a long text it could
    // not be interrupted.
    return sql`case when octet_length(${column}) <= ${SHORT_TEXT} and octet_length(${column}) = length(${column}) then ${column} like ${folded} escape '\\' else fold_like(${column}, ${folded}) end`;
  },
  // SQLite's default order is the same: nulls first ascending, last descending.
  orderBy: (column, direction) => (direction === 'asc' ? sql`${column} asc` : sql`${column} desc`),
  jsonObject(pairs) {
    const args = pairs.map(
      ({ key, value, json }) => sql`${jsonKey(key)}, ${json ? sql`json(${value})` : value}`,
    );
    return merged(chunks(args, OBJECT_PAIRS), sql`json_object`, sql`'{'`, sql`'}'`);
  },
  jsonList: (values) => merged(chunks(values, 2 * OBJECT_PAIRS), sql`json_array`, sql`'['`, sql`']'`),
  // Concatenation keeps the order of the subquery and is twice as fast as json_group_array(json(…)).
  jsonArray(subquery, most = LIMITS.stringLength, exactly = null) {
    const values = sql`coalesce(group_concat("json", ','), '')`;
    const short = sql`octet_length(${values}) <= ${most}`;
    const fits = exactly === null ? short : sql`count(*) = ${exactly} and ${short}`;
    return sql`(select case when ${fits} then '[' || ${values} || ']' end from (${subquery}))`;
  },
  asText(column, kind) {
    if (kind === 'integer') return sql`cast(${column} as text)`;
    return kind === 'real' ? sql`real_text(${column})` : column;
  },
  sum: (column, kind) => {
    // A sum of integers would fail on overflow.
    const sum = sql`sum(cast(${column} as real))`;
    if (kind === 'integer') return sum;
    // The largest number has 15 significant digits, so digits of the sum beyond its last one are noise.
    const most = sql`max(abs(cast(${column} as real)))`;
    const rounded = sql`case when ${most} between 1 and 1e14 then round(${sum}, 15 - length(cast(${most} as integer))) else ${sum} end`;
    return sql`case when abs(${sum}) < 1e-290 then 0.0 when abs(${sum}) <= 1.7e308 then cast(printf('%.15g', ${rounded}) as real) end`;
  },
  wholeSeconds: (column) => sql`substr(${column}, 1, 19)`,
  firstDay(column, period) {
    switch (period) {
      case 'day':
        return sql`substr(${column}, 1, 10)`;
      case 'week':
        return sql`max('0001-01-01', date(substr(${column}, 1, 10), '-' || strftime('%w', substr(${column}, 1, 10)) || ' days'))`;
      case 'month':
        return sql`substr(${column}, 1, 8) || '01'`;
      case 'quarter':
        return sql`substr(${column}, 1, 5) || substr('010101040404070707101010', 2 * cast(substr(${column}, 6, 2) as integer) - 1, 2) || '-01'`;
      case 'year':
        return sql`substr(${column}, 1, 5) || '01-01'`;
    }
  },
  changeSql: (change) => changeStatements(STYLE, change),
  keySql: (table, to) => keyStatements(STYLE, table, to),
};

/**
 * SQLite's LIKE takes the product of both lengths. A text of so many bytes takes some microseconds with any
 * pattern.
 */
const SHORT_TEXT = sql`256`;
/** A function takes at most 1,000 arguments. */
const OBJECT_PAIRS = 500;

/** Merges several objects or arrays into one by removing the brackets between them. */
function merged(args: readonly Sql[], call: Sql, open: Sql, close: Sql): Sql {
  const objects = args.map((some) => sql`${call}(${some})`);
  const [first = sql`${call}()`] = objects;
  if (objects.length < 2) return first;
  const inner = objects.map((_, index) => {
    const piece = ident(`o${index}`);
    return sql`substr(${piece}, 2, length(${piece}) - 2)`;
  });
  const from = join(objects.map((object, index) => sql`${object} as ${ident(`o${index}`)}`));
  return sql`(select ${open} || ${inner.reduce((all, next) => sql`${all} || ',' || ${next}`)} || ${close} from (select ${from}))`;
}

const STYLE: DdlStyle = {
  tableSuffix: ' strict',
  // STRICT tables have no date types, so the name of a constraint stores the kind; `describeTable` reads it
  // there.
  column({ name, kind, notNullDefault }, isPrimaryKey) {
    const rule = notNullDefault === null ? 'null' : `not null default ${literal(notNullDefault)}`;
    return `${quote(name)} ${TYPES[kind]} constraint ${quote(kind)} ${isPrimaryKey ? 'not null' : rule}`;
  },
  createIndex(table, { name, columns, unique }) {
    return `create ${unique ? 'unique ' : ''}index ${quote(name)} on ${quote(table)} (${columns.map(quote).join(', ')})`;
  },
  // SQLite cannot change a column's type in place. No index may contain the column; `applyChanges` drops them
  // first.
  alterColumn(table, from, to) {
    const fresh: ColumnSpec = { ...to, name: `_new_${to.name}` };
    const target = quote(table);
    return [
      `alter table ${target} add column ${STYLE.column(fresh, false)}`,
      `update ${target} set ${quote(fresh.name)} = ${conversion(from, to)}`,
      `alter table ${target} drop column ${quote(from.name)}`,
      `alter table ${target} rename column ${quote(fresh.name)} to ${quote(to.name)}`,
    ];
  },
  // Nor can a key be dropped, so the table is copied.
  alterKey(table, to) {
    const columns = table.columns.map((column) => (column.name === to.name ? to : column));
    const fresh = { ...table, name: `_new_${table.name}`, columns, indexes: [] };
    const values = table.columns.map((from) =>
      from.name === to.name ? conversion(from, to) : quote(from.name),
    );
    return [
      ...createTable(STYLE, fresh),
      `insert into ${quote(fresh.name)} (${columns.map(({ name }) => quote(name)).join(', ')}) select ${values.join(', ')} from ${quote(table.name)}`,
      `drop table ${quote(table.name)}`,
      `alter table ${quote(fresh.name)} rename to ${quote(table.name)}`,
    ];
  },
};

function conversion(from: ColumnSpec, to: ColumnSpec): string {
  const column = quote(from.name);
  let value = `cast(${column} as ${TYPES[to.kind]})`;
  if (from.kind === 'real' && to.kind === 'text') value = `real_text(${column})`;
  return to.notNullDefault === null ? value : `coalesce(${value}, ${literal(to.notNullDefault)})`;
}
