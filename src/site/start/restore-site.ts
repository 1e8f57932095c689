import { laterStateAfter } from '../../backup/after/kept-state.ts';
import type { LaterState } from '../../backup/after/later-state.ts';
import { type Settled, settleRestored } from '../../backup/after/settle-restored.ts';
import type { BackupProgress } from '../../backup/backup.ts';
import { newestState } from '../../backup/newest-state.ts';
import { requireEmptySchema } from '../../backup/postgres/restore-postgres.ts';
import { otherEngine, restoreDatabase, restoreFiles, type WantedState } from '../../backup/restore.ts';
import type { Manifest } from '../../backup/store/manifest.ts';
import type { Repository } from '../../backup/store/repository.ts';
import type { Config } from '../../config/config.ts';
import { migrateSystemTables } from '../../db/migrate.ts';
import { UnusableDatabase } from '../../db/unusable.ts';
import { isInUse } from '../../file/sample-objects.ts';
import { parseMark, RESTORING, renderMark } from '../../file/site-mark.ts';
import type { Clock } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Observer } from '../../kernel/observation.ts';
import type { Random } from '../../kernel/random.ts';
import {
  directUrl,
  makeDataDirectory,
  mayHaveDatabase,
  removeDatabaseFile,
  removeSqliteFile,
  sqliteFile,
} from '../data-directory.ts';
import { openSiteDatabase } from '../open-site-database.ts';
import { restoreKeyFile } from '../settings/key-file.ts';
import { databaseNeeds, lackOfSpace } from '../space-needed.ts';
import { StartError } from '../start-error.ts';
import { SYSTEM_STEPS } from '../system-tables.ts';
import { type FilesOfSite, placeName, rebindFiles } from './bind-files.ts';

/** A restore of a whole site into the place that the configuration names. */
export interface RestoringSite {
  readonly files: FilesOfSite;
  readonly repository: Repository;
  readonly state: WantedState;
  readonly progress: BackupProgress;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observer;
}

/** A restored site. */
export interface RestoredSite {
  /** The moment that it holds; milliseconds since the epoch. */
  readonly moment: number;
  /** Files that were not restored, a line each. */
  readonly problems: readonly string[];
  readonly settled: Settled;
  /** What of later states could not be read, a line each. */
  readonly unread: readonly string[];
}

/**
 * Why a backup cannot be restored here, a sentence each. It needs the same database engine, space, and an empty place
 * or one where a restore of this site was interrupted.
 */
export async function whyImpossible(
  { config, place, storage }: FilesOfSite,
  { site }: Pick<Repository, 'site'>,
  manifest: Manifest,
): Promise<readonly string[]> {
  const engine = otherEngine(manifest, directUrl(config));
  if (engine !== null) return [`${engine}.`];
  const found = await occupied(config);
  const mark = parseMark(await storage.readMark());
  if (mark?.database === RESTORING && mark.site === site) {
    // An SQLite file is what the interrupted restore has left; on PostgreSQL it left nothing, or all.
    return sqliteFile(config) === null ? needsEmptyPlace(found) : [];
  }
  if (await isInUse(storage)) found.push(`There are files in ${placeName(place)}`);
  const files = place.kind === 'disk' ? [{ path: place.root, bytes: manifest.files.bytes }] : [];
  const lack = lackOfSpace([...databaseNeeds(config, manifest), ...files]);
  return [
    ...needsEmptyPlace(found),
    ...(lack === null ? [] : [`There is no space for the restore: ${lack}.`]),
  ];
}

function needsEmptyPlace(found: readonly string[]): string[] {
  if (found.length === 0) return [];
  return [
    `A restore needs an empty place. ${found.join('. ')}. Choose another one with --data, --database and --files.`,
  ];
}

async function occupied(config: Config): Promise<string[]> {
  const file = sqliteFile(config);
  if (file !== null) return mayHaveDatabase(config) ? [`There is a database: ${file}`] : [];
  try {
    await requireEmptySchema(directUrl(config));
    return [];
  } catch (error) {
    if (error instanceof UnusableDatabase) return [sentence(error.message)];
    throw error;
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Restores the database, then its files, and settles what must not happen twice. The files stay bound to an
 * interrupted restore until all is done, so no server starts with a half. It starts nothing and sends nothing.
 * @throws StartError when it is impossible here
 */
export async function restoreSite(restoring: RestoringSite): Promise<RestoredSite> {
  const { files, repository, state, progress } = restoring;
  const { config, storage } = files;
  const found = await whyImpossible(files, repository, state.manifest);
  if (found.length > 0) throw new StartError(found.join(' '));
  await makeDataDirectory(config);
  const mark = { site: repository.site, database: RESTORING, storage: null, used: 0 };
  await storage.writeMark(renderMark(mark), { replace: true });
  removeDatabaseFile(config);
  await restoreKeys(config, restoring);
  const moment = await restoreDatabase(repository, state, directUrl(config), progress.database);
  const unread: string[] = [];
  const later = await laterThan(moment, restoring, unread);
  const database = await openSiteDatabase(config, { transactionTimeout: LIMITS.migrationTimeout });
  try {
    await migrateSystemTables(database, SYSTEM_STEPS);
    const problems = await restoreFiles(repository, database.reader, storage, progress.files);
    const settled = await settleRestored(database, { ...restoring, config, moment, later });
    await rebindFiles(files, database);
    return { moment, problems, settled, unread };
  } finally {
    await database.close();
  }
}

function laterThan(
  moment: number,
  { files: { config }, repository }: RestoringSite,
  unread: string[],
): Promise<LaterState | null> {
  const file = sqliteFile(config);
  // Only SQLite has a continuous log, which is restored to a file.
  if (file === null) return laterStateAfter(repository, moment, unread);
  const path = `${file}-later`;
  const remove = () => removeSqliteFile(path);
  remove();
  return newestState(repository, moment, { url: `sqlite:${path}`, remove }, unread);
}

async function restoreKeys(config: Config, { repository, state }: RestoringSite): Promise<void> {
  const { secretKeys } = state.manifest;
  if (secretKeys === undefined || config.secretKey !== null) return;
  await restoreKeyFile(config, await repository.getPart(secretKeys));
}
