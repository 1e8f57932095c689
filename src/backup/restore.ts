import { Readable } from 'node:stream';
import type { Connection } from '../db/database.ts';
import { contentPages } from '../file/content.ts';
import type { Storage } from '../file/storage.ts';
import { PART } from '../file/storage-key.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { CopiedFile, DatabaseProgress } from './engine.ts';
import { restorePostgres } from './postgres/restore-postgres.ts';
import { logOf, reachedBefore } from './sqlite/log-end.ts';
import { restoreSqlite } from './sqlite/restore.ts';
import { DamagedBackup } from './store/damaged-backup.ts';
import { type Manifest, startOf } from './store/manifest.ts';
import type { Repository } from './store/repository.ts';

const FILES_AT_ONCE = 4;

/** Which state to restore. */
export interface WantedState {
  readonly manifest: Manifest;
  /**
   * The moment whose state is wanted, where the continuous log tells more than the backup; null for the state of the
   * backup itself. Milliseconds since the epoch.
   */
  readonly at: number | null;
  /** The last moment that the backup and its log lead to. */
  readonly end: number;
  /** Backups that were left out because they are damaged, a line each. */
  readonly damaged: readonly string[];
  /** Other servers that wrote to the place at the same time, a line each. */
  readonly beside: readonly string[];
}

/**
 * Chooses a backup: the one of this name, or the one that leads to the latest state before a moment, or to the newest,
 * with all that its log says.
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
    return { manifest, at, end: manifest.moment, damaged: [], beside: [] };
  }
  const { states, damaged } = await statesBefore(repository, at ?? Number.MAX_SAFE_INTEGER);
  const chosen = states.reduce<ReachedState | null>(
    (best, each) => (best && best.end > each.end ? best : each),
    null,
  );
  if (!chosen) {
    const why = damaged.map((note) => `. ${note}`).join('');
    throw none(`There is no backup ${at === null ? 'in this place' : 'from before that moment'}${why}`);
  }
  const others = states.filter((each) => each !== chosen && isBeside(each, chosen));
  return {
    manifest: chosen.manifest,
    end: chosen.end,
    at: at ?? Number.MAX_SAFE_INTEGER,
    damaged,
    beside: others.map(besideNote),
  };
}

/** A backup with the log that follows it. Moments are milliseconds since the epoch. */
interface ReachedState {
  readonly manifest: Manifest;
  /** When its log began. */
  readonly begin: number;
  /** The last moment that it leads to. */
  readonly end: number;
}

/**
 * The newest backup of each continuous log, and the newest one without a log, up to a moment. A damaged backup is told
 * of and left out.
 */
async function statesBefore(
  repository: Repository,
  latest: number,
): Promise<{ states: readonly ReachedState[]; damaged: readonly string[] }> {
  const newest = new Map<string, ReachedState>();
  const damaged: string[] = [];
  const noteDamage = (error: unknown) => {
    if (!(error instanceof DamagedBackup)) throw error;
    damaged.push(error.message);
    return null;
  };
  for (const name of await repository.names()) {
    if ((startOf(name) ?? 0) > latest) continue;
    const manifest = await repository.manifest(name).catch(noteDamage);
    if (!manifest || manifest.moment > latest) continue;
    const { moment } = manifest;
    const epoch = logOf(manifest)?.epoch ?? '';
    newest.set(epoch, { manifest, begin: newest.get(epoch)?.begin ?? moment, end: moment });
  }
  const states = [...newest.values()].map(async (state) => {
    const log = logOf(state.manifest);
    const reached = log && (await reachedBefore(repository, log, latest).catch(noteDamage));
    return { ...state, end: Math.max(state.end, reached ?? 0) };
  });
  return { states: await Promise.all(states), damaged };
}

/** True for the log of another server that wrote at the same time: a restored copy, or the site it was copied from. */
function isBeside(other: ReachedState, chosen: ReachedState): boolean {
  return logOf(other.manifest) !== null && logOf(chosen.manifest) !== null && other.end > chosen.begin;
}

function besideNote({ manifest, end }: ReachedState): string {
  const until = new Date(end).toISOString();
  return `Another server of this site wrote to this place until ${until}: ${manifest.name} with --at leads to its state`;
}

function none(message: string): ServiceError {
  return new ServiceError('DoesNotExistError', message);
}

/** A refusal of a database of the other engine; null for one of the same. */
export function otherEngine({ database: copy }: Manifest, url: string): string | null {
  if (url.startsWith('sqlite:') === 'pages' in copy) return null;
  const engine = 'pages' in copy ? 'SQLite' : 'PostgreSQL';
  return `The backup is one of ${engine}: --database must name such a database`;
}

/**
 * Writes the database of a backup to an empty place: an SQLite file, or a schema of PostgreSQL. Resolves to the moment
 * that it holds.
 * @throws DamagedBackup; ServiceError ValidationError for a database of the other engine
 */
export async function restoreDatabase(
  repository: Repository,
  { manifest, at }: Pick<WantedState, 'manifest' | 'at'>,
  url: string,
  progress: DatabaseProgress,
): Promise<number> {
  const { database: copy, moment } = manifest;
  const other = otherEngine(manifest, url);
  if (other !== null) throw new ServiceError('ValidationError', other);
  if ('pages' in copy) {
    return restoreSqlite(repository, { copy, moment, at }, url.slice('sqlite:'.length), progress);
  }
  await restorePostgres(url, copy, repository, progress);
  return moment;
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
  const restore = async (file: CopiedFile) => {
    const problem = await restoreFile(repository, storage, file);
    if (problem !== null) problems.push(`${file.storageKey}: ${problem}`);
    files += 1;
    bytes += file.bytes;
    progress(files, bytes);
  };
  await Readable.from(listedFiles(db)).forEach(restore, { concurrency: FILES_AT_ONCE });
  return problems;
}

async function* listedFiles(db: Connection): AsyncGenerator<CopiedFile> {
  for await (const page of contentPages(db)) yield* page;
}

async function restoreFile(
  repository: Repository,
  storage: Storage,
  file: CopiedFile,
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
