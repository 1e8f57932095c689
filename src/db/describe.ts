import type { Connection } from './database.ts';
import type { ActualTable, ColumnKind, ColumnSpec, IndexSpec } from './dialect.ts';
import { sql } from './sql.ts';

/** A table's current columns and indexes; null when the table does not exist. */
export function describeTable(connection: Connection, tableName: string): Promise<ActualTable | null> {
  return connection.dialect.name === 'sqlite'
    ? describeSqlite(connection, tableName)
    : describePostgres(connection, tableName);
}

async function describeSqlite(connection: Connection, tableName: string): Promise<ActualTable | null> {
  const found = await connection.get(
    sql`select sql as "text" from sqlite_schema where type = 'table' and name = ${tableName}`,
  );
  if (!found) return null;
  const kinds = declaredKinds(String(found['text']));
  const info = await connection.all(
    sql`select name, "notnull" as required, dflt_value as def, pk from pragma_table_info(${tableName}) order by cid`,
  );
  const columns = info.map(
    (row): ColumnSpec => ({
      name: String(row['name']),
      kind: kinds.get(String(row['name'])) ?? 'text',
      notNullDefault: row['required'] === 1 && row['pk'] === 0 ? constant(row['def']) : null,
    }),
  );
  const held = await connection.all(
    sql`select l.name, l."unique" as is_unique, i.name as column_name
      from pragma_index_list(${tableName}) l, pragma_index_info(l.name) i
      where l.origin = 'c' order by l.name, i.seqno`,
  );
  const key = info.find((row) => row['pk'] === 1);
  return { name: tableName, primaryKey: String(key?.['name'] ?? ''), columns, indexes: grouped(held) };
}

const KINDS = new Set<string>(['text', 'integer', 'real', 'date', 'datetime', 'time']);

// Matches strings and other names, too, so that their content is never taken for a column.
function declaredKinds(createTable: string): Map<string, ColumnKind> {
  const kinds = new Map<string, ColumnKind>();
  for (const match of createTable.matchAll(
    /'(?:[^']|'')*'|"((?:[^"]|"")*)" (?:TEXT|INTEGER|REAL) constraint "(\w+)"|"(?:[^"]|"")*"/gi,
  )) {
    const [, name, kind] = match;
    if (name !== undefined && kind !== undefined && KINDS.has(kind)) {
      kinds.set(name.replaceAll('""', '"'), kind as ColumnKind);
    }
  }
  return kinds;
}

const POSTGRES_KINDS: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  int8: 'integer',
  float8: 'real',
  date: 'date',
  timestamp: 'datetime',
  time: 'time',
};

async function describePostgres(connection: Connection, tableName: string): Promise<ActualTable | null> {
  const found = await connection.get(
    sql`select c.oid, (select a.attname from pg_index i join pg_attribute a
          on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indrelid = c.oid and i.indisprimary) as key
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${connection.dialect.schema} and c.relname = ${tableName} and c.relkind in ('r', 'p')`,
  );
  if (!found) return null;
  const table = Number(found['oid']);
  const info = await connection.all(
    sql`select a.attname as name, t.typname as type, a.attnotnull as required, pg_get_expr(d.adbin, d.adrelid) as def
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = ${table} and a.attnum > 0 and not a.attisdropped order by a.attnum`,
  );
  const columns = info.map(
    (row): ColumnSpec => ({
      name: String(row['name']),
      kind: POSTGRES_KINDS[String(row['type'])] ?? 'text',
      notNullDefault: row['required'] === 1 && row['name'] !== found['key'] ? constant(row['def']) : null,
    }),
  );
  const held = await connection.all(
    sql`select c.relname as name, i.indisunique as is_unique, i.indisvalid as is_valid, a.attname as column_name,
        case when k.number = 0 then 1 else 0 end as is_like
      from pg_index i join pg_class c on c.oid = i.indexrelid
      cross join unnest(i.indkey::int2[]) with ordinality as k(number, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = case when k.number <> 0 then k.number
        else (select min(d.refobjsubid) from pg_depend d where d.objid = i.indexrelid and d.refobjid = i.indrelid and d.refobjsubid > 0) end
      where i.indrelid = ${table} and not i.indisprimary order by c.relname collate "C", k.place`,
  );
  const finished = held.filter((row) => row['is_valid'] === 1);
  const unfinished = grouped(held.filter((row) => row['is_valid'] !== 1)).map(({ name }) => name);
  return {
    name: tableName,
    primaryKey: String(found['key'] ?? ''),
    columns,
    indexes: grouped(finished),
    ...(unfinished.length > 0 && { unfinished }),
  };
}

/** The names of the indexes of doctypes, with true for those that the database reads. */
export async function loadIndexNames(connection: Connection): Promise<ReadonlyMap<string, boolean>> {
  const rows = await connection.all(
    connection.dialect.name === 'sqlite'
      ? sql`select name, 1 as is_valid from sqlite_schema where type = 'index' and substr(name, 1, 4) = '_ix_'`
      : sql`select c.relname as name, i.indisvalid as is_valid from pg_index i
          join pg_class c on c.oid = i.indexrelid and c.relnamespace = (select oid from pg_namespace where nspname = ${connection.dialect.schema})
          where left(c.relname, 4) = '_ix_'`,
  );
  return new Map(rows.map((row) => [String(row['name']), row['is_valid'] === 1]));
}

/** The constant of a default: a number, or a quoted text with or without a cast. */
function constant(expression: unknown): string | number | null {
  if (typeof expression !== 'string') return null;
  const text = /^'((?:[^']|'')*)'(?:::([\w ]+))?/s.exec(expression);
  if (!text) return Number(expression.replaceAll(/[()]/g, ''));
  const value = (text[1] ?? '').replaceAll("''", "'");
  // PostgreSQL writes a negative number as '-1'::integer.
  return text[2] === undefined || text[2] === 'text' ? value : Number(value);
}

function grouped(rows: readonly Record<string, unknown>[]): IndexSpec[] {
  const indexes = new Map<string, IndexSpec & { columns: string[] }>();
  for (const row of rows) {
    const name = String(row['name']);
    const isLike = row['is_like'] === 1;
    const index = indexes.get(name) ?? {
      name,
      unique: row['is_unique'] === 1,
      columns: [],
      ...(isLike && { like: true as const }),
    };
    index.columns.push(String(row['column_name']));
    indexes.set(name, index);
  }
  return [...indexes.values()];
}
