import { DamagedDatabase } from './damaged.ts';
import type { Connection } from './database.ts';
import { quote } from './ddl.ts';
import { ident, type Sql, sql } from './sql.ts';

/** The result of reading a whole database. */
export interface Damage {
  /** The engine's messages, each with its table or index where known. */
  readonly found: readonly string[];
  /** False when the engine could not check indexes. */
  readonly indexesChecked: boolean;
}

/** The most problems reported. With more of them, only a backup helps anyway. */
const MOST = 20;

/** Reads every page of the tables and indexes. Takes long on a large database, and changes nothing. */
export function findDamage(connection: Connection): Promise<Damage> {
  return connection.dialect.name === 'sqlite' ? inSqlite(connection) : inPostgres(connection);
}

async function inSqlite(connection: Connection): Promise<Damage> {
  const whole = await checkPages(connection, String(MOST));
  if (whole.length === 0) return { found: [], indexesChecked: true };
  // The check of the whole file names no tables, and ends at the first unreadable page.
  const found: string[] = [];
  for (const name of await tableNames(connection)) {
    if (found.length >= MOST) break;
    const problems = await checkPages(connection, quote(name));
    found.push(...problems.map((words) => `${name}: ${words}`));
  }
  return { found: (found.length > 0 ? found : whole).slice(0, MOST), indexesChecked: true };
}

/** `what`: the maximum number of problems, or the quoted name of a table. */
async function checkPages(connection: Connection, what: string): Promise<string[]> {
  const lines = await wordsOf(async () => {
    // Not a select: a reader could move it to a thread, which ends after its timeout.
    const rows = await connection.all({ text: `pragma integrity_check(${what})`, values: [] });
    return rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
  });
  const problems = lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
  // Pages below a damaged page count as unused, which adds no information.
  const causes = problems.filter((line) => !line.endsWith(': never used'));
  return causes.length > 0 ? causes : problems;
}

async function tableNames(connection: Connection): Promise<string[]> {
  try {
    const rows = await connection.all(
      sql`select "name" from sqlite_schema where "type" = 'table' order by 1`,
    );
    return rows.map((row) => String(row['name']));
  } catch (error) {
    if (error instanceof DamagedDatabase) return [];
    throw error;
  }
}

interface Relation {
  /** The table's name, for an index too. */
  readonly name: string;
  readonly oid: number;
  readonly isTable: boolean;
}

// Uses amcheck where it is installed. Otherwise reads every value, which finds damaged pages of tables only.
async function inPostgres(connection: Connection): Promise<Damage> {
  const amcheck = await schemaOfAmcheck(connection);
  const found: string[] = [];
  let indexesChecked = amcheck !== null;
  for (const relation of await relations(connection)) {
    if (found.length >= MOST) break;
    if (relation.isTable) found.push(...(await damageOf(relation, () => readTable(connection, relation))));
    if (amcheck === null) continue;
    const check = relation.isTable ? checkTable : checkIndex;
    try {
      found.push(...(await damageOf(relation, () => check(connection, amcheck, relation))));
    } catch (error) {
      if (!isForbidden(error)) throw error;
      indexesChecked = false;
    }
  }
  return { found: [...new Set(found)].slice(0, MOST), indexesChecked };
}

async function schemaOfAmcheck(connection: Connection): Promise<Sql | null> {
  const row = await connection.get(
    sql`select n.nspname as "name" from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'amcheck'`,
  );
  return row ? ident(String(row['name'])) : null;
}

async function relations(connection: Connection): Promise<Relation[]> {
  const rows = await connection.all(
    sql`select coalesce(t.relname, c.relname)::text as "name", c.oid::int8 as "oid", case when c.relkind = 'i' then 0 else 1 end as "is_table"
        from pg_class c left join pg_am a on a.oid = c.relam left join pg_index i on i.indexrelid = c.oid
          left join pg_class t on t.oid = i.indrelid
        where c.relnamespace = (select oid from pg_namespace where nspname = ${connection.dialect.schema}) and c.relpersistence <> 't'
          and (c.relkind = 'r' or (c.relkind = 'i' and a.amname = 'btree' and i.indisvalid)) order by 1, 3 desc`,
  );
  return rows.map((row) => ({
    name: String(row['name']),
    oid: Number(row['oid']),
    isTable: row['is_table'] === 1,
  }));
}

// The text of a row contains all its values, including those stored out of line (TOAST).
async function readTable(connection: Connection, { name }: Relation): Promise<string[]> {
  await connection.get(sql`select count(md5("row"::text)) as "rows" from ${ident(name)} as "row"`);
  return [];
}

async function checkTable(connection: Connection, amcheck: Sql, { oid }: Relation): Promise<string[]> {
  const rows = await connection.all(
    sql`select "msg" from ${amcheck}.verify_heapam(${oid}::oid::regclass) limit ${MOST}`,
  );
  return rows.map((row) => String(row['msg']));
}

async function checkIndex(connection: Connection, amcheck: Sql, { oid }: Relation): Promise<string[]> {
  await connection.get(sql`select 1 as "one" from ${amcheck}.bt_index_check(${oid}::oid::regclass, true)`);
  return [];
}

async function damageOf({ name }: Relation, look: () => Promise<string[]>): Promise<string[]> {
  return (await wordsOf(look)).map((words) => `${name}: ${words}`);
}

/** The problems that a check found. An error caused by the damage itself is one of them. */
async function wordsOf(look: () => Promise<string[]>): Promise<string[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    return [error.words];
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501';
}
