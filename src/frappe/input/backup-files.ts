import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';

/** The files of one backup of a Frappe site, by what they hold. */
export interface BackupFiles {
  /** The dump, or the file of an SQLite site. */
  readonly database: string;
  readonly publicFiles: string | null;
  readonly privateFiles: string | null;
  readonly siteConfig: string | null;
}

type Kind = keyof BackupFiles;

const NAMES: readonly (readonly [RegExp, Kind])[] = [
  [/private-files(?:-enc)?\.(?:tar|tgz|tar\.gz)(?:\.gpg)?$/, 'privateFiles'],
  [/files(?:-enc)?\.(?:tar|tgz|tar\.gz)(?:\.gpg)?$/, 'publicFiles'],
  [/site_config(?:_backup)?(?:-enc)?\.json(?:\.gpg)?$/, 'siteConfig'],
  [/(?:\.sql|\.db|\.sqlite)(?:\.gz)?(?:\.gpg)?$/, 'database'],
];

/**
 * The files of a backup: as named one by one, or all of a folder.
 * @throws ServiceError when the database is missing, when two files hold the same, or when a name is unknown
 */
export function backupFiles(paths: readonly string[]): BackupFiles {
  const found: Partial<Record<Kind, string>> = {};
  for (const path of paths.flatMap(filesAt)) {
    const kind = NAMES.find(([pattern]) => pattern.test(basename(path)))?.[1];
    if (!kind)
      throw refusal(`${path} is none of the files of a backup: a database, files or site_config_backup.json`);
    const other = found[kind];
    if (other !== undefined)
      throw refusal(`${other} and ${path} hold the same part: name the files of one backup`);
    found[kind] = path;
  }
  const { database, publicFiles = null, privateFiles = null, siteConfig = null } = found;
  if (database === undefined)
    throw refusal('The database of the backup is missing: name its *-database.sql.gz');
  return { database, publicFiles, privateFiles, siteConfig };
}

function filesAt(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).sort();
    return names
      .filter((name) => NAMES.some(([pattern]) => pattern.test(name)))
      .map((name) => join(path, name));
  } catch (error) {
    throw refusal(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function refusal(message: string): ServiceError {
  return new ServiceError('ValidationError', message);
}
