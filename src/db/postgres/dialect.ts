import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import {
  changeStatements,
  type DdlStyle,
  isTemporal,
  jsonKey,
  keyStatements,
  literal,
  quote,
} from '../ddl.ts';
import type { ColumnKind, ColumnSpec, Dialect } from '../dialect.ts';
import { foldPattern } from '../fold.ts';
import { chunks, render, type Sql, type Statement, sql } from '../sql.ts';
import { block, createIndexText, HAVE_TRIGRAMS } from './index-text.ts';
import { likeExpression } from './like-expression.ts';
import { inLowerCase, isAscii, likeKey } from './like-key.ts';

// Collation "C" compares by code point, like SQLite, whatever the database's own collation.
const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text collate "C"',
  integer: 'bigint',
  real: 'double precision',
  date: 'date',
  datetime: 'timestamp(6)',
  time: 'time(6)',
};

const FORMATS = {
  date: sql`'YYYY-MM-DD'`,
  datetime: sql`'YYYY-MM-DD HH24:MI:SS.US'`,
  time: sql`'HH24:MI:SS.US'`,
};

const hole = (position: number) => `$${position}`;

/** Renders for PostgreSQL. */
export function renderPostgres(query: Sql): Statement {
  return render(query, hole);
}

/** PostgreSQL 14 or later, built with ICU, in a UTF-8 database. */
export function postgresDialect(schema: string): Dialect {
  const style = styleOf(schema);
  return {
    name: 'postgres',
    schema,
    hole,
    columnType: (kind) => TYPES[kind],
    like(column, pattern, isIndexed = false) {
      const folded = foldPattern(pattern);
      if (isIndexed) return sql`${likeKey(column)} like ${folded}`;
      // On long texts, LIKE can take the product of both lengths, and statement_timeout cannot cancel it. A
      // regular expression takes their sum, and pg_sleep checks for cancellation.
      const long = sql`${likeKey(column)} ~ ${likeExpression(folded)}`;
      return sql`case when octet_length(${column}) > ${LONG_TEXT} and pg_sleep(0) is not null then ${long} when ${isAscii(column)} then (${column}) collate "C" ilike ${folded} escape '\\' else ${inLowerCase(column)} like ${folded} escape '\\' end`;
    },
    // Indexes of nullable columns are created with nulls first, so they serve both directions.
    orderBy(column, direction, nullable) {
      if (!nullable) return direction === 'asc' ? sql`${column} asc` : sql`${column} desc`;
      return direction === 'asc' ? sql`${column} asc nulls first` : sql`${column} desc nulls last`;
    },
    jsonObject(pairs) {
      const args = pairs.map(
        ({ key, value, json }) => sql`${jsonKey(key)}, ${json ? sql`(${value})::json` : value}`,
      );
      return merged(chunks(args, OBJECT_PAIRS), sql`json_build_object`);
    },
    jsonList: (values) => merged(chunks(values, 2 * OBJECT_PAIRS), sql`json_build_array`),
    jsonArray(subquery, most = LIMITS.stringLength, exactly = null) {
      const values = sql`coalesce(string_agg("json", ','), '')`;
      const short = sql`octet_length(${values}) <= ${most}`;
      const fits = exactly === null ? short : sql`count(*) = ${exactly} and ${short}`;
      return sql`(select case when ${fits} then '[' || ${values} || ']' end from (${subquery}) as "rows")`;
    },
    asText(column, kind) {
      if (kind === 'text') return column;
      if (kind === 'date' || kind === 'datetime' || kind === 'time')
        return sql`to_char(${column}, ${FORMATS[kind]})`;
      return sql`(${column})::text`;
    },
    sum: (column, kind) => {
      if (kind === 'integer') return sql`sum(${column})::float8`;
      // Sums decimals: a sum of doubles would depend on the order of rows.
      const sum = sql`sum((${column})::text::numeric)`;
      return sql`case when abs(${sum}) < 1e-290 then 0::float8 when abs(${sum}) <= 1.7e308 then ${sum}::float8::numeric::float8 end`;
    },
    wholeSeconds: (column) => sql`to_char(${column}, 'YYYY-MM-DD HH24:MI:SS')`,
    firstDay(column, period) {
      if (period === 'day') return sql`(${column})::date`;
      if (period === 'week') {
        // Weeks of PostgreSQL start on Monday.
        const sunday = sql`(date_trunc('week', (${column})::timestamp + interval '1 day') - interval '1 day')::date`;
        // `greatest` alone would give a day where there is none.
        return sql`case when ${column} is not null then greatest('0001-01-01', ${sunday}) end`;
      }
      return sql`date_trunc(${PERIODS[period]}, (${column})::timestamp)::date`;
    },
    changeSql(change) {
      const statements = changeStatements(style, change);
      for (const { text } of statements) refuseLongNames(text);
      return statements;
    },
    keySql: (table, to) => keyStatements(style, table, to),
  };
}

const PERIODS = { month: sql`'month'`, quarter: sql`'quarter'`, year: sql`'year'` };

/** Merges several objects or arrays into one by removing the brackets between them. */
function merged(args: readonly Sql[], call: Sql): Sql {
  const [first = sql`${call}()::text`, ...others] = args.map((some) => sql`${call}(${some})::text`);
  return others.reduce((all, next) => sql`left(${all}, -1) || ',' || right(${next}, -1)`, first);
}

/** LIKE reads a text of this size in some milliseconds, with any pattern; bytes. */
const LONG_TEXT = sql`16384`;
/** A function takes at most 100 arguments. */
const OBJECT_PAIRS = 50;

/** PostgreSQL truncates longer names silently, so two tables could become one. */
function refuseLongNames(text: string): void {
  // Matches texts and names in one pass, because each may contain the other's quotes.
  for (const [, quoted = ''] of text.matchAll(/'(?:[^']|'')*'|"((?:[^"]|"")*)"/g)) {
    const name = quoted.replaceAll('""', '"');
    if (Buffer.byteLength(name) > 63) {
      throw new ServiceError('NameError', `The name ${name} is too long: PostgreSQL allows 63 bytes`);
    }
  }
}

// Blocks of code name their tables with the schema; `qualify` adds it to all other statements.
function styleOf(schema: string): DdlStyle {
  return {
    tableSuffix: '',
    column({ name, kind, notNullDefault }, isPrimaryKey) {
      const rule = notNullDefault === null ? '' : ` not null default ${literal(notNullDefault)}`;
      return `${quote(name)} ${TYPES[kind]}${isPrimaryKey ? ' not null' : rule}`;
    },
    createIndex(table, index) {
      return block(`${index.like ? HAVE_TRIGRAMS : ''} execute ${createIndexText(schema, table, index)};`);
    },
    alterColumn(table, from, to) {
      const column = quote(to.name);
      const type = TYPES[to.kind];
      const steps = [
        `alter column ${column} drop default`,
        `alter column ${column} type ${type} using ${conversion(from, to)}`,
        to.notNullDefault === null
          ? `alter column ${column} drop not null`
          : `alter column ${column} set default ${literal(to.notNullDefault)}, alter column ${column} set not null`,
      ];
      return [`alter table ${quote(table)} ${steps.join(', ')}`];
    },
    alterKey({ name, columns }, to) {
      const from = columns.find((column) => column.name === to.name) ?? to;
      const type = `type ${TYPES[to.kind]} using ${conversion(from, to)}`;
      return [`alter table ${quote(name)} alter column ${quote(to.name)} ${type}`];
    },
  };
}

function conversion(from: ColumnSpec, to: ColumnSpec): string {
  const column = quote(from.name);
  let value = column;
  if (to.kind !== from.kind) value = to.kind === 'text' ? `${column}::text` : `${column}::${TYPES[to.kind]}`;
  if (to.kind === 'text' && isTemporal(from.kind) && from.kind !== 'date') {
    value = `to_char(${column}, '${from.kind === 'time' ? '' : 'YYYY-MM-DD '}HH24:MI:SS.US')`;
  }
  return to.notNullDefault === null ? value : `coalesce(${value}, ${literal(to.notNullDefault)})`;
}
