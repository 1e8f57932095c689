import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { quarantineFigures } from '../../file/quarantine.ts';
import { diskSpace, sqliteFile, sqliteLogBytes } from '../data-directory.ts';
import { filesPlaceOf } from '../open-storage.ts';

/** The size and the state of the database. Sizes in bytes. */
export interface DatabaseFigures {
  readonly kind: 'sqlite' | 'postgres';
  readonly version: string;
  readonly bytes: number;
  /** SQLite: of the write-ahead log. PostgreSQL: null. */
  readonly log_bytes: number | null;
  /** PostgreSQL: connections of all servers and programs to this database, and the most it allows. */
  readonly connections: number | null;
  readonly most_connections: number | null;
}

export async function databaseFigures(database: Database, config: Config): Promise<DatabaseFigures> {
  const { reader } = database;
  const file = sqliteFile(config);
  if (file !== null) {
    const row = await reader.get(
      sql`select sqlite_version() as version, c.page_count * s.page_size as bytes
          from pragma_page_count c, pragma_page_size s`,
    );
    return {
      kind: 'sqlite',
      version: String(row?.['version']),
      bytes: Number(row?.['bytes']),
      log_bytes: sqliteLogBytes(config),
      connections: null,
      most_connections: null,
    };
  }
  const row = await reader.get(
    sql`select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
        (select count(*) from pg_stat_activity where datname = current_database()) as connections,
        cast(current_setting('max_connections') as bigint) as most`,
  );
  return {
    kind: 'postgres',
    version: String(row?.['version']).split(' ', 1)[0] ?? '',
    bytes: Number(row?.['bytes']),
    log_bytes: null,
    connections: Number(row?.['connections']),
    most_connections: Number(row?.['most']),
  };
}

/** Stored files. Sizes in bytes. */
export interface FileFigures {
  readonly place: 'disk' | 's3';
  readonly objects: number;
  readonly bytes: number;
  readonly quarantined_objects: number;
  readonly quarantined_bytes: number;
}

export async function fileFigures(database: Database, config: Config): Promise<FileFigures> {
  const row = await database.reader.get(
    sql`select count(*) as objects, sum(bytes) as bytes from _stored_content where swept_at is null`,
  );
  const { unknown, deleted } = await quarantineFigures(database.reader);
  return {
    place: filesPlaceOf(config).kind,
    objects: Number(row?.['objects'] ?? 0),
    bytes: Number(row?.['bytes'] ?? 0),
    quarantined_objects: unknown.objects + deleted.objects,
    quarantined_bytes: unknown.bytes + deleted.bytes,
  };
}

/** A disk of this machine, and what Chancery stores on it. */
export interface DiskFigures {
  readonly holds: readonly ('database' | 'files' | 'data')[];
  readonly path: string;
  readonly free: number;
  readonly total: number;
  readonly state: 'ok' | 'advice' | 'problem';
}

/** Free space that deserves advice, and free space that is a problem; bytes. */
export const LITTLE_SPACE = 1024 ** 3;
export const NO_SPACE = 100 * 1024 ** 2;

/** The disks below the data directory, the database and the stored files. */
export function diskFigures(config: Config): DiskFigures[] {
  const place = filesPlaceOf(config);
  const file = sqliteFile(config);
  const places = [
    { holds: 'data' as const, path: config.data },
    ...(file === null ? [] : [{ holds: 'database' as const, path: dirname(file) }]),
    ...(place.kind === 'disk' ? [{ holds: 'files' as const, path: place.root }] : []),
  ];
  const disks = new Map<string, DiskFigures>();
  for (const { holds, path } of places) {
    const space = diskSpace(path);
    if (space === null) continue;
    const known = disks.get(space.disk);
    const { free, total } = space;
    const state = free < NO_SPACE ? 'problem' : free < LITTLE_SPACE ? 'advice' : 'ok';
    disks.set(
      space.disk,
      known ? { ...known, holds: [...known.holds, holds] } : { holds: [holds], path, free, total, state },
    );
  }
  return [...disks.values()];
}
