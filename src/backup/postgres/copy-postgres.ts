import { Readable } from 'node:stream';
import { quote } from '../../db/ddl.ts';
import { type CopySession, openCopySession } from '../../db/postgres/copy-session.ts';
import { UnusableDatabase } from '../../db/unusable.ts';
import { waited } from '../../kernel/wait.ts';
import type { CopiedDatabase, CopiedFile, DatabaseProgress, EngineCopy } from '../engine.ts';
import type { PostgresCopy, PostgresTable } from '../store/manifest.ts';
import type { PartStore } from '../store/repository.ts';
import { type Definitions, readDefinitions, readSequences, type TableDefinition } from './catalog.ts';
import { copiedFiles } from './copied-files.ts';
import { putSchema } from './copied-schema.ts';
import { cutRows } from './cut-parts.ts';

/** Parts that are stored at the same time. Each takes up to 4 MiB, and again what the store makes of it. */
const AT_ONCE = 4;
/** A table that is altered while it is copied makes the copy begin anew, so often in all. */
const ATTEMPTS = 3;
/** The tables are asked for so often, with a pause of milliseconds, while another process alters them. */
const LOCK_ATTEMPTS = 120;
const LOCK_PAUSE = 500;

/** A copy of PostgreSQL. */
export interface CopiedPostgres extends CopiedDatabase {
  readonly copy: PostgresCopy;
  /** Read from the copy, once it is stored. */
  readonly files: AsyncIterable<CopiedFile>;
  readonly leftOut: readonly string[];
}

/**
 * Copies the schema that a URL names. It should lead to PostgreSQL without a pooler, which may end a long
 * transaction.
 */
export function postgresEngine(url: string): EngineCopy {
  return { copy: (repository, progress) => copyPostgres(url, repository, progress) };
}

/**
 * Copies all tables of the site's schema as they are at one moment. Other transactions go on: a table is locked
 * against changes of its columns only while its own rows are read. All changes that were committed before `moment`,
 * by the database's clock, are in it.
 * @throws UnusableDatabase, UncopiedSchema
 */
export async function copyPostgres(
  url: string,
  store: PartStore,
  progress: DatabaseProgress = () => {},
): Promise<CopiedPostgres> {
  const session = await openCopySession(url);
  let bytes = 0;
  const onBytes = (more: number) => {
    bytes += more;
    progress(bytes, null);
  };
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await copyOnce(session, store, onBytes);
      } catch (error) {
        if (!(error instanceof AlteredTables) || attempt === ATTEMPTS) throw error;
      }
    }
  } finally {
    await session.close();
  }
}

/** A table is no longer what it was at the moment of the copy. */
class AlteredTables extends UnusableDatabase {
  constructor(what: string) {
    super(`${what} while the backup copied the tables. Make the backup again`);
    this.name = 'AlteredTables';
  }
}

async function copyOnce(
  session: CopySession,
  store: PartStore,
  onBytes: (bytes: number) => void,
): Promise<CopiedPostgres> {
  const { definitions, moment } = await begin(session);
  const schema = await putSchema(store, definitions);
  const tables: PostgresTable[] = [];
  for (const table of definitions.tables) tables.push(await copyTable(session, table, store, onBytes));
  const sequences = await asAltered(() => readSequences(session), 'A sequence was dropped');
  await session.commit();
  return {
    copy: { schema, tables, sequences },
    moment,
    rows: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    files: copiedFiles(tables, store),
    leftOut: definitions.leftOut,
  };
}

/** Begins the transaction. All tables are locked until their definitions are read. */
async function begin(
  session: CopySession,
): Promise<{ readonly definitions: Definitions; readonly moment: number }> {
  const names = await lockAll(session);
  // The first query of the transaction fixes its state. The statement's time is that of its arrival, before.
  const [row] = await session.query(
    'select floor(1000 * extract(epoch from statement_timestamp()))::bigint as moment',
  );
  const definitions = await readDefinitions(session);
  const found = definitions.tables.map(({ name }) => name);
  if (found.join('\0') !== names.join('\0')) throw new AlteredTables('Tables were added or dropped');
  await session.query(UNLOCK);
  return { definitions, moment: Number(row?.['moment']) };
}

const NAMES = `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind = 'r'
    and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  order by c.relname collate "C"`;
// Locks that were taken since are given back. The state that the transaction reads stays.
const LOCK_FROM_HERE = 'savepoint "copy"';
const UNLOCK = 'rollback to savepoint "copy"';
const LOCKED_OUT = '55P03';
const GONE: ReadonlySet<unknown> = new Set(['42P01', '42703', '3F000']);

/** Never waits in the queue for a lock: others would wait behind it, and a migration might deadlock with it. */
async function lockAll(session: CopySession): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt += 1) {
    await session.rollback();
    const rows = await session.query(NAMES, [session.schema]);
    const names = rows.map(({ name }) => String(name));
    if (names.length === 0) {
      throw new UnusableDatabase(`there are no tables in the schema ${session.schema} of ${session.label}`);
    }
    const all = names.map((name) => tableText(session, name)).join(', ');
    await session.begin('isolation level repeatable read read only');
    await session.query(LOCK_FROM_HERE);
    try {
      await session.query(`lock table ${all} in access share mode nowait`);
      return names;
    } catch (error) {
      const code = codeOf(error);
      if (code !== LOCKED_OUT && !GONE.has(code)) throw error;
      if (attempt === LOCK_ATTEMPTS)
        throw new UnusableDatabase(
          `another process alters the tables of ${session.label}. Make the backup when it has ended`,
          { cause: error },
        );
      await waited(LOCK_PAUSE);
    }
  }
}

async function copyTable(
  session: CopySession,
  table: TableDefinition,
  store: PartStore,
  onBytes: (bytes: number) => void,
): Promise<PostgresTable> {
  const { name } = table;
  const altered = `The table ${name} was altered`;
  return asAltered(async () => {
    await session.query(`lock table ${tableText(session, name)} in access share mode`);
    if (!(await isSame(session, table))) throw new AlteredTables(altered);
    const cutting = cutRows(await session.copyOut(copyText(session, table)));
    const stored = Readable.from(cutting, { highWaterMark: 1 }).map(
      async (part: Buffer) => {
        const id = await store.putPart(part);
        onBytes(part.length);
        return id;
      },
      { concurrency: AT_ONCE },
    );
    const parts: string[] = await stored.toArray();
    // Also gives back the locks of indexes; a transaction can hold only some thousands.
    await session.query(UNLOCK);
    return { name, columns: table.columns.map((column) => column.name), rows: cutting.rows, parts };
  }, altered);
}

// These functions look at the present catalog, not at that of the transaction's state.
const PRESENT = `select pg_relation_filenode($1::oid) as file,
  (select coalesce(string_agg(coalesce((pg_identify_object_as_address('pg_class'::regclass, $1::oid, n)).object_names[3], ''), '/' order by place), '')
    from unnest($2::int[]) with ordinality as columns(n, place)) as names`;

/** False if the rows were written anew, which hides them from older transactions, or if columns were renamed. */
async function isSame(session: CopySession, { oid, file, columns }: TableDefinition): Promise<boolean> {
  const [present] = await session.query(PRESENT, [oid, columns.map(({ number }) => number)]);
  return present?.['file'] === file && present['names'] === columns.map(({ name }) => name).join('/');
}

function copyText(session: CopySession, { name, columns, keys }: TableDefinition): string {
  const list = columns.map((column) => quote(column.name));
  const from = tableText(session, name);
  if (keys === 0) return `copy ${from} (${list.join(', ')}) to stdout`;
  return `copy (select ${list.join(', ')} from ${from} order by ${list.slice(0, keys).join(', ')}) to stdout`;
}

function tableText({ schema }: CopySession, name: string): string {
  return `${quote(schema)}.${quote(name)}`;
}

/** Runs work that fails when its tables are gone, and then tells so in these words. */
async function asAltered<T>(work: () => Promise<T>, words: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw GONE.has(codeOf(error)) ? new AlteredTables(words) : error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
