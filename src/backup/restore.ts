import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Storage } from '../file/storage.ts';
import { PART } from '../file/storage-key.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { DatabaseProgress } from './engine.ts';
import { inLanes } from './lanes.ts';
import { restorePostgres } from './postgres/restore-postgres.ts';
import { newestWithLog, reachedBefore } from './sqlite/log-end.ts';
import { restoreSqlite } from './sqlite/restore.ts';
import { DamagedBackup } from './store/damaged-backup.ts';
import { type Manifest, startOf } from './store/manifest.ts';
import type { Repository } from './store/repository.ts';

const FILES_AT_ONCE = 4;
const FILES_LISTED = 1_000;

/** Which state to restore. */
export interface WantedState {
  readonly manifest: Manifest;
  /**
   * The moment whose state is wanted, where the continuous log tells more than the backup; null for the state of the
   * backup itself. Milliseconds since the epoch.
   */
  readonly at: number | null;
}

/**
 * Chooses a backup: the one of this name, or the last one before a moment, or the newest, with all that the log says
 * since.
 * @throws ServiceError DoesNotExistError
 */
export async function chooseState(
  repository: Repository,
  wanted: { readonly name: string | null; readonly at: number | null },
): Promise<WantedState> {
  const { name, at } = wanted;
  const names = await repository.names();
  if (name !== null) {
    if (!names.includes(name)) throw none(`There is no backup ${name}`);
    const manifest = await repository.manifest(name);
    if (at !== null && at < manifest.moment) throw none(`The backup ${name} was made after that moment`);
    return { manifest, at };
  }
  const latest = at ?? Number.MAX_SAFE_INTEGER;
  for (const each of names.toReversed()) {
    if ((startOf(each) ?? 0) > latest) continue;
    const manifest = await repository.manifest(each);
    if (manifest.moment <= latest) {
      return { manifest: (await longerLog(repository, manifest, latest)) ?? manifest, at: latest };
    }
  }
  throw none(at === null ? 'There is no backup in this place' : 'There is no backup from before that moment');
}

/**
 * A backup of the command line has no continuous log of SQLite. The log of an older backup may lead further; null if
 * none does.
 */
async function longerLog(repository: Repository, manifest: Manifest, at: number): Promise<Manifest | null> {
  if (!('pages' in manifest.database) || manifest.database.log) return null;
  const logged = await newestWithLog(repository, manifest.name);
  if (!logged) return null;
  const reached = await reachedBefore(repository, logged.log, at);
  return reached !== null && reached > manifest.moment ? logged.manifest : null;
}

function none(message: string): ServiceError {
  return new ServiceError('DoesNotExistError', message);
}

/**
 * Writes the database of a backup to an empty place: an SQLite file, or a schema of PostgreSQL. Resolves to the moment
 * that it holds.
 * @throws DamagedBackup; ServiceError ValidationError for a database of the other engine
 */
export async function restoreDatabase(
  repository: Repository,
  { manifest, at }: WantedState,
  url: string,
  progress: DatabaseProgress,
): Promise<number> {
  const { database: copy, moment } = manifest;
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
  if (file !== null && 'pages' in copy) {
    return restoreSqlite(repository, { copy, moment, at }, file, progress);
  }
  if (file === null && 'tables' in copy) {
    await restorePostgres(url, copy, repository, progress);
    return moment;
  }
  throw new ServiceError(
    'ValidationError',
    `The backup is one of ${'pages' in copy ? 'SQLite' : 'PostgreSQL'}: --database must name such a database`,
  );
}

/**
 * Copies the files that a restored database lists from the repository into the storage, under their keys. What is
 * there already stays. Resolves to the files that the repository does not have intact, a line each.
 */
export async function restoreFiles(
  repository: Repository,
  db: Connection,
  storage: Storage,
  progress: (files: number, bytes: number) => void,
): Promise<readonly string[]> {
  const problems: string[] = [];
  let [files, bytes] = [0, 0];
  await inLanes(listedFiles(db), FILES_AT_ONCE, async (file) => {
    const problem = await restoreFile(repository, storage, file);
    if (problem !== null) problems.push(`${file.storageKey}: ${problem}`);
    files += 1;
    bytes += file.bytes;
    progress(files, bytes);
  });
  return problems;
}

interface ListedFile {
  readonly storageKey: string;
  readonly sha256: string;
  readonly bytes: number;
}

async function* listedFiles(db: Connection): AsyncGenerator<ListedFile> {
  for (let last = ''; ; ) {
    const rows = await db.all(
      sql`select storage_key, sha256, bytes from _stored_content
        where swept_at is null and storage_key > ${last} order by storage_key limit ${FILES_LISTED}`,
    );
    for (const row of rows) {
      last = String(row['storage_key']);
      yield { storageKey: last, sha256: String(row['sha256']), bytes: Number(row['bytes']) };
    }
    if (rows.length < FILES_LISTED) return;
  }
}

async function restoreFile(
  repository: Repository,
  storage: Storage,
  file: ListedFile,
): Promise<string | null> {
  const { storageKey, sha256, bytes } = file;
  if ((await storage.stat(storageKey))?.bytes === bytes) return null;
  const content = await repository.openFile(sha256);
  if (!content) return 'the backup does not have its bytes';
  // Remains of an interrupted restore.
  await storage.delete(storageKey + PART);
  try {
    await storage.put(storageKey, content, { maxBytes: bytes });
    return null;
  } catch (error) {
    if (error instanceof DamagedBackup) return error.message;
    throw error;
  }
}
