import { LIMITS } from '../kernel/limits.ts';
import type { Connection } from './database.ts';
import { sql } from './sql.ts';

/** A build of an index beside running transactions. */
export interface RunningBuild {
  readonly table: string;
  /** Null until the index has its row in the catalogue. */
  readonly index: string | null;
  /** What PostgreSQL does now, in its words. */
  readonly phase: string;
  /** The part of the current phase that is done, from 0 to 1. */
  readonly share: number;
  /** Transactions that the phase still waits for. */
  readonly waitsFor: number;
}

/** The builds that run now on this database. Empty on SQLite, where only a transaction builds an index. */
export async function runningBuilds(connection: Connection): Promise<RunningBuild[]> {
  if (connection.dialect.name === 'sqlite') return [];
  const rows = await connection.all(
    sql`select t.relname as "table", i.relname as "index", p.phase as "phase",
          coalesce(nullif(p.tuples_done, 0)::float8 / nullif(p.tuples_total, 0),
            p.blocks_done::float8 / nullif(p.blocks_total, 0), 0) as "share",
          greatest(p.lockers_total - p.lockers_done, 0) as "waits"
        from pg_stat_progress_create_index p
        join pg_class t on t.oid = p.relid and t.relnamespace = (select oid from pg_namespace where nspname = ${connection.dialect.schema})
        left join pg_class i on i.oid = p.index_relid
        where p.datname = current_database() and p.command = 'CREATE INDEX CONCURRENTLY'`,
  );
  return rows.map((row) => ({
    table: String(row['table']),
    index: row['index'] === null ? null : String(row['index']),
    phase: String(row['phase']),
    share: Math.min(1, Number(row['share'])),
    waitsFor: Number(row['waits']),
  }));
}

/** True where a transaction that builds an index would stop writes of the table for long. */
export async function isLargeTable(connection: Connection, table: string): Promise<boolean> {
  if (connection.dialect.name === 'sqlite') return false;
  const row = await connection.get(
    sql`select pg_table_size(c.oid) > ${LIMITS.indexedAtOnce} as "large" from pg_class c
        where c.relname = ${table} and c.relnamespace = (select oid from pg_namespace where nspname = ${connection.dialect.schema})`,
  );
  return row?.['large'] === 1;
}
