import { Readable } from 'node:stream';
import { quote } from '../../db/ddl.ts';
import { type CopySession, openCopySession } from '../../db/postgres/copy-session.ts';
import { UnusableDatabase } from '../../db/unusable.ts';
import type { DatabaseProgress } from '../engine.ts';
import { DamagedBackup } from '../store/damaged-backup.ts';
import type { PostgresCopy, PostgresTable } from '../store/manifest.ts';
import type { PartStore } from '../store/repository.ts';
import { type CopiedSchema, getSchema } from './copied-schema.ts';

/** Parts that are read at the same time, each of at most 4 MiB. */
const AT_ONCE = 4;
/** A new table locks itself, the table of its long texts, and the index of those. */
const LOCKS_OF_TABLE = 3;

/**
 * Makes the tables of a copy in the schema that the URL names, which must be empty or missing. All in one
 * transaction: a restore that is broken off leaves nothing.
 * @throws UnusableDatabase
 */
export async function restorePostgres(
  url: string,
  copy: PostgresCopy,
  store: PartStore,
  progress: DatabaseProgress = () => {},
): Promise<void> {
  let bytes = 0;
  const onBytes = (more: number) => {
    bytes += more;
    progress(bytes, null);
  };
  const session = await openCopySession(url);
  try {
    const definitions = await getSchema(store, copy.schema);
    await session.begin('isolation level read committed');
    await requireEmpty(session);
    await requireLocks(session, definitions, copy);
    await session.query(`create schema if not exists ${quote(session.schema)}`);
    await setPath(session, definitions);
    for (const statement of definitions.before) await session.query(statement);
    for (const table of copy.tables) await fillTable(session, table, store, onBytes);
    for (const { name, value, isCalled } of copy.sequences) {
      await session.query('select setval($1::regclass, $2::bigint, $3)', [quote(name), value, isCalled]);
    }
    for (const statement of definitions.after) await session.query(statement);
    for (const { name } of copy.tables) await session.query(`analyze ${quote(name)}`);
    await session.commit();
  } finally {
    await session.close();
  }
}

/** @throws UnusableDatabase when the schema that the URL names has something in it */
export async function requireEmptySchema(url: string): Promise<void> {
  const session = await openCopySession(url);
  try {
    await requireEmpty(session);
  } finally {
    await session.close();
  }
}

const FOUND = `select c.relname as name from pg_class c
    where c.relnamespace = (select oid from pg_namespace where nspname = $1)
    and not exists (select from pg_depend e
      where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  union all select p.proname from pg_proc p where p.pronamespace = (select oid from pg_namespace where nspname = $1)
    and not exists (select from pg_depend e
      where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
  order by name limit 1`;

async function requireEmpty({ schema, label, query }: CopySession): Promise<void> {
  const [found] = await query(FOUND, [schema]);
  if (!found) return;
  throw new UnusableDatabase(
    `the schema ${schema} of ${label} is not empty (it has ${found['name']}). Restore into another one, with ` +
      '?schema=<name> in the database URL, or into a new database',
  );
}

const CAPACITY = `select current_setting('max_locks_per_transaction')::int as each,
  current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int as holders`;

/** The one transaction holds a lock of everything that it makes. It should fail before the rows, not after them. */
async function requireLocks(
  { label, query }: CopySession,
  { before, after }: CopiedSchema,
  { tables }: PostgresCopy,
): Promise<void> {
  const needed = before.length + after.length + LOCKS_OF_TABLE * tables.length;
  const [row] = await query(CAPACITY);
  const [each, holders] = [Number(row?.['each']), Number(row?.['holders'])];
  if (needed <= each * holders) return;
  throw new UnusableDatabase(
    `the restore needs up to ${needed} locks, and the server of ${label} has ${each * holders}. Set ` +
      `max_locks_per_transaction to ${Math.ceil(needed / holders)} or more and restart PostgreSQL`,
  );
}

/** Creates the extensions that are missing, and makes the names in the definitions lead to this schema. */
async function setPath({ schema, label, query }: CopySession, { extensions }: CopiedSchema): Promise<void> {
  const path = new Set([schema]);
  for (const { name, schema: own } of extensions) {
    const wanted = own ?? schema;
    const [there] = await query('select 1 from pg_namespace where nspname = $1', [wanted]);
    const place = there ? ` schema ${quote(wanted)}` : '';
    try {
      await query(`create extension if not exists ${quote(name)}${place}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UnusableDatabase(
        `the backup needs the extension ${name}, which cannot be created in ${label}: ${why}`,
        { cause: error },
      );
    }
    const [is] = await query(
      'select extnamespace::regnamespace::text as schema from pg_extension where extname = $1',
      [name],
    );
    path.add(String(is?.['schema']));
  }
  // The name of an extension's schema is quoted already.
  const [, ...others] = path;
  await query(`set local search_path = ${[quote(schema), ...others].join(', ')}`);
}

async function fillTable(
  session: CopySession,
  { name, columns, rows, parts }: PostgresTable,
  store: PartStore,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const content = Readable.from(parts, { highWaterMark: 1 }).map(
    async (id: string) => {
      const part = await store.getPart(id);
      onBytes(part.length);
      return part;
    },
    { concurrency: AT_ONCE },
  );
  // Frozen rows need no vacuum later.
  const into = `copy ${quote(name)} (${columns.map(quote).join(', ')}) from stdin with (freeze)`;
  const copied = await session.copyIn(into, content);
  if (copied !== rows) throw new DamagedBackup(name, `it names ${rows} rows, and its parts have ${copied}`);
}
