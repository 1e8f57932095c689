import { Readable } from 'node:stream';
import { version } from '../config/version.ts';
import type { Site } from '../document/contract.ts';
import { type BackupHold, holdObjects } from '../file/backup-hold.ts';
import { openAnywhere } from '../file/quarantine.ts';
import type { Storage } from '../file/storage.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { putLaterState } from './after/kept-state.ts';
import type { CopiedFile, DatabaseProgress, EngineCopy } from './engine.ts';
import { DamagedBackup } from './store/damaged-backup.ts';
import { BACKUP_FORMAT, backupName, type Manifest } from './store/manifest.ts';
import { type Pruned, prune } from './store/prune.ts';
import type { Repository } from './store/repository.ts';
import type { Keep } from './store/retention.ts';

/** The name of the hold of the one process that writes backups of a site or prunes them. */
const HOLDER = 'backup';
const FILES_AT_ONCE = 4;

type BackedUpSite = Pick<Site, 'database' | 'clock' | 'random' | 'observe'> & { readonly storage: Storage };

/** What to back up, and where. */
export interface BackingUp {
  readonly site: BackedUpSite;
  readonly engine: EngineCopy;
  readonly repository: Repository;
  /** The keys that encrypt secrets in the database; null: they are kept elsewhere. */
  readonly secretKeys: Buffer | null;
  readonly progress?: BackupProgress;
}

/** Listens to the progress of a backup or of a restore. */
export interface BackupProgress {
  /** Bytes of the database, and how many there are; null if unknown. */
  readonly database: DatabaseProgress;
  /** Files done, and their bytes. */
  files(files: number, bytes: number): void;
}

/** A finished backup. */
export interface BackupResult {
  readonly manifest: Manifest;
  /** Files that are not in it, a line each: the storage had lost or damaged them before. */
  readonly problems: readonly string[];
  /** What an operator has added to the database and a backup leaves out, in words. */
  readonly leftOut: readonly string[];
}

const SILENT: BackupProgress = { database() {}, files() {} };

/**
 * Makes a backup of a running site. The database is copied first, and then each file that this copy lists; none of
 * them is deleted meanwhile. The backup exists once its manifest is stored, at the very end.
 * @throws ServiceError when another backup is running
 */
export async function backUp(backing: BackingUp): Promise<BackupResult> {
  const { site, engine, repository, secretKeys, progress = SILENT } = backing;
  const started = nowMillis(site.clock);
  return withHold(site, async (hold) => {
    await repository.loadFiles();
    const { copy, moment, rows, files, leftOut = [] } = await engine.copy(repository, progress.database);
    const copied = await copyFiles(backing, files, hold);
    const manifest: Manifest = {
      format: BACKUP_FORMAT,
      name: backupName(started, site.random.bytes(4)),
      site: repository.site,
      version: version(),
      started,
      moment,
      finished: nowMillis(site.clock),
      engine: 'tables' in copy ? 'postgres' : 'sqlite',
      database: copy,
      files: {
        objects: copied.digests.size,
        bytes: copied.bytes,
        index: await repository.putFileIndex(copied.digests),
      },
      rows,
      later: await putLaterState(repository, site.database.reader),
      ...(secretKeys && { secretKeys: await repository.putPart(secretKeys) }),
    };
    hold.check();
    await repository.putManifest(manifest);
    return { manifest, problems: copied.problems, leftOut };
  });
}

/** Deletes backups beyond `keep`, and what then belongs to none. @throws ServiceError when a backup is running */
export async function pruneBackups(site: BackedUpSite, repository: Repository, keep: Keep): Promise<Pruned> {
  return withHold(site, () => prune(repository, keep, nowMillis(site.clock)));
}

async function withHold<T>(site: BackedUpSite, work: (hold: BackupHold) => Promise<T>): Promise<T> {
  const hold = await holdObjects(site, HOLDER);
  try {
    return await work(hold);
  } finally {
    await hold.release();
  }
}

interface CopiedFiles {
  /** SHA-256 of each. */
  readonly digests: Set<string>;
  readonly problems: string[];
  bytes: number;
}

/**
 * Copies stored files that the repository lacks. Resolves to those that the storage has lost or damaged, a line each.
 */
export async function copyListed(
  { site, repository }: { readonly site: Pick<BackedUpSite, 'storage'>; readonly repository: Repository },
  files: readonly CopiedFile[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const copy = async (file: CopiedFile) => {
    const problem = await copyFile(site.storage, repository, file);
    if (problem !== null) problems.push(`${file.storageKey}: ${problem}`);
  };
  await Readable.from(files).forEach(copy, { concurrency: FILES_AT_ONCE });
  return problems;
}

async function copyFiles(
  { site, repository, progress = SILENT }: BackingUp,
  files: AsyncIterable<CopiedFile>,
  hold: BackupHold,
): Promise<CopiedFiles> {
  const copied: CopiedFiles = { digests: new Set(), problems: [], bytes: 0 };
  let done = 0;
  const copy = async (file: CopiedFile) => {
    hold.check();
    // A public and a private file may have the same bytes.
    if (!copied.digests.has(file.sha256)) {
      const problem = await copyFile(site.storage, repository, file);
      if (problem !== null) copied.problems.push(`${file.storageKey}: ${problem}`);
      else if (!copied.digests.has(file.sha256)) {
        copied.digests.add(file.sha256);
        copied.bytes += file.bytes;
      }
    }
    done += 1;
    progress.files(done, copied.bytes);
  };
  await Readable.from(files).forEach(copy, { concurrency: FILES_AT_ONCE });
  return copied;
}

/** Resolves to what is wrong with the stored file; null when it is in the repository. */
export async function copyFile(
  storage: Storage,
  repository: Repository,
  { storageKey, sha256, bytes }: CopiedFile,
): Promise<string | null> {
  if (repository.hasFile(sha256)) return null;
  // It may have been deleted since the database was copied.
  const opened = await openAnywhere(storage, storageKey);
  if (!opened) return 'its bytes are missing in the file storage';
  const { body } = opened;
  try {
    await repository.putFile(sha256, Buffer.isBuffer(body) ? body : Readable.from(told(body)), bytes);
    return null;
  } catch (error) {
    if (error instanceof DamagedBackup) return 'its bytes are damaged in the file storage';
    if (error instanceof UnreadableFile) return `its bytes cannot be read: ${error.message}`;
    throw error;
  }
}

/** One damaged file must not prevent backups; a storage or a place for backups that fails does. */
class UnreadableFile extends Error {}

async function* told(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new UnreadableFile(error instanceof Error ? error.message : String(error));
  }
}
