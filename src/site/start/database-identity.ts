import { realpathSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { FilesPlace } from '../../config/files-place.ts';
import type { Connection } from '../../db/database.ts';
import { clusterId } from '../../db/postgres/cluster-id.ts';
import { sql } from '../../db/sql.ts';
import { isWithin, realPath, sqliteFile } from '../data-directory.ts';

/**
 * One line that identifies a database, as opposed to its copies, for files in that place. On PostgreSQL it
 * has the identifier of the cluster, the number of the database and the schema; a physical copy of a whole
 * cluster has the same line. On SQLite it has the inode number and the birth time of the database file. Where
 * the files are in the directory of the database, it has the relative path between the two instead: a copy of
 * that directory has its own files. A restored database has `restored`, an id of its own, in its line.
 */
export async function databaseIdentity(
  connection: Connection,
  config: Config,
  place: FilesPlace,
  restored: string | null,
): Promise<string> {
  const file = sqliteFile(config);
  const line = file === null ? await postgresIdentity(connection) : sqliteIdentity(file, place);
  return restored === null ? line : `${line} ${restored}`;
}

async function postgresIdentity(connection: Connection): Promise<string> {
  const row = await connection.get(
    sql`select oid::text as oid from pg_database where datname = current_database()`,
  );
  const cluster = await clusterId((question) => connection.get(question));
  return ['postgres', cluster ?? 'unknown', row?.['oid'], connection.dialect.schema].join(' ');
}

function sqliteIdentity(file: string, place: FilesPlace): string {
  const path = realpathSync(file);
  if (place.kind === 'disk') {
    const root = realPath(place.root);
    if (isWithin(dirname(path), root)) return `sqlite ${relative(root, path)}`;
  }
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return `sqlite ${ino} ${birthtimeNs}`;
}
