import { isRecord } from '../../kernel/value.ts';
import { DamagedBackup } from './damaged-backup.ts';

/**
 * The format of a place of backups: its mark and its manifests. Older formats restore. A new one needs a fixture:
 * test/upgrade/README.md.
 */
export const BACKUP_FORMAT = 1;

/** One backup: what it holds, and the parts that it consists of. Times are milliseconds since the epoch. */
export interface Manifest {
  readonly format: typeof BACKUP_FORMAT;
  readonly name: string;
  /** The site's id. */
  readonly site: string;
  /** Of Chancery. */
  readonly version: string;
  readonly started: number;
  /** The moment whose state it holds. */
  readonly moment: number;
  readonly finished: number;
  readonly engine: 'sqlite' | 'postgres';
  readonly database: SqliteCopy | PostgresCopy;
  readonly files: BackedUpFiles;
  /** The number of rows per table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The part with the keys that encrypt secrets in the database; absent unless it was asked for. */
  readonly secretKeys?: string;
  /** The parts with what a restore to an earlier moment must know of this state. */
  readonly later: readonly string[];
}

/** The stored files of a backup. `index`: parts that list their ids. */
export interface BackedUpFiles {
  readonly objects: number;
  readonly bytes: number;
  readonly index: readonly string[];
}

/** A copy of an SQLite database: its file, and the newest images of pages from its log over it. */
export interface SqliteCopy {
  readonly pageSize: number;
  readonly pages: number;
  /** Parts of 1 MiB, in order. */
  readonly parts: readonly string[];
  readonly overlay: readonly string[];
  /** The continuous log that goes on from here; null without one. */
  readonly log: { readonly epoch: string; readonly after: number } | null;
}

/** A copy of a schema of PostgreSQL. */
export interface PostgresCopy {
  /** Parts, in order: the statements that make the tables, and those that run once the rows are in. */
  readonly schema: readonly string[];
  readonly tables: readonly PostgresTable[];
  readonly sequences: readonly PostgresSequence[];
}

/** Rows in the text format of `COPY`. */
export interface PostgresTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly parts: readonly string[];
}

/** Values are texts: they may be larger than the numbers of JSON. */
export interface PostgresSequence {
  readonly name: string;
  readonly value: string;
  /** False when the value is still to be given out. */
  readonly isCalled: boolean;
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{8}$/;

/**
 * The name of a backup that begins at this moment: its time in UTC, and digits of which the first three are
 * milliseconds, so that names are in the order of time.
 */
export function backupName(started: number, random: Buffer): string {
  const time = new Date(started).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const millis = (started % 1000).toString(16).padStart(3, '0');
  return `${time}-${millis}${random.toString('hex').slice(0, 5)}`;
}

/** The second at which a backup with this name began; null for other names. */
export function startOf(name: string): number | null {
  const [, ...parts] = NAME.exec(name) ?? [];
  if (parts.length === 0) return null;
  const [year = 0, month = 0, day, hour, minute, second] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Every part that a backup needs, those of its list of files too. */
export function partsOf({ database, files, later, secretKeys }: Manifest): readonly string[] {
  const parts =
    'schema' in database
      ? [...database.schema, ...database.tables.flatMap((table) => table.parts)]
      : [...database.parts, ...database.overlay];
  return [...parts, ...files.index, ...later, ...(secretKeys === undefined ? [] : [secretKeys])];
}

/**
 * Reads a manifest. `name` is that of its object.
 * @throws DamagedBackup; Error for a format of a newer version
 */
export function parseManifest(text: string, name: string): Manifest {
  const manifest = parsed(text);
  if (isRecord(manifest) && typeof manifest.format === 'number' && manifest.format > BACKUP_FORMAT) {
    throw new Error(
      `A newer version of Chancery made the backup ${name} (format ${manifest.format}): restore it with that version`,
    );
  }
  if (!isManifest(manifest))
    throw new DamagedBackup(name, 'it is no list of a backup that this version knows');
  return manifest;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isPart: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shaped =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([field, check]) => check(value[field]));

const isSqliteCopy = shaped({
  pageSize: isCount,
  pages: isCount,
  parts: listOf(isPart),
  overlay: listOf(isPart),
  log: (value) => value === null || shaped({ epoch: isText, after: isCount })(value),
});

const isPostgresCopy = shaped({
  schema: listOf(isPart),
  tables: listOf(shaped({ name: isText, columns: listOf(isText), rows: isCount, parts: listOf(isPart) })),
  sequences: listOf(shaped({ name: isText, value: isText, isCalled: (value) => typeof value === 'boolean' })),
});

const isAnyManifest = shaped({
  format: (value) => value === BACKUP_FORMAT,
  name: (value) => typeof value === 'string' && NAME.test(value),
  site: isText,
  version: isText,
  started: isCount,
  moment: isCount,
  finished: isCount,
  engine: (value) => value === 'sqlite' || value === 'postgres',
  files: shaped({ objects: isCount, bytes: isCount, index: listOf(isPart) }),
  rows: (value) => isRecord(value) && Object.values(value).every(isCount),
  secretKeys: (value) => value === undefined || isPart(value),
  later: listOf(isPart),
});

function isManifest(value: unknown): value is Manifest {
  if (!isAnyManifest(value) || !isRecord(value)) return false;
  return (value.engine === 'sqlite' ? isSqliteCopy : isPostgresCopy)(value.database);
}
