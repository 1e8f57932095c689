import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import type { FilesPlace } from '../../config/files-place.ts';
import type { Database } from '../../db/database.ts';
import { describeTable } from '../../db/describe.ts';
import { isStoreAway } from '../../file/delete-unused.ts';
import { isInUse, type Sample, sampleObjects } from '../../file/sample-objects.ts';
import {
  DATABASE_ID,
  FILES_BOUND,
  FILES_STORAGE,
  FILES_USED,
  isSameMark,
  parseMark,
  RESTORING,
  renderMark,
  type SiteMark,
} from '../../file/site-mark.ts';
import type { Storage } from '../../file/storage.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Observer } from '../../kernel/observation.ts';
import { sqliteFile } from '../data-directory.ts';
import { secretKeyFile } from '../settings/key-file.ts';
import { SITE_ID } from '../settings/secret-key.ts';
import { loadSettings, lockSetting, writeSetting } from '../settings/settings-table.ts';
import { StartError } from '../start-error.ts';
import { messageOf, whyUnusable } from '../why-unusable.ts';
import { databaseIdentity } from './database-identity.ts';
import { isOlder } from './files-used.ts';

/** A file storage, and the configuration of its database. */
export interface FilesOfSite {
  readonly config: Config;
  readonly place: FilesPlace;
  readonly storage: Storage;
  readonly observe: Observer;
}

const ADOPT = 'run once: chancery files adopt';

/**
 * Called before an SQLite database is created: refuses to begin a new site beside the remains of another one,
 * whose database is lost.
 * @throws StartError
 */
export async function refuseLostDatabase(files: FilesOfSite): Promise<void> {
  const file = sqliteFile(files.config);
  if (file === null) return;
  if (!existsSync(file)) await refuseLeftBehind(files, 'missing');
  else if (statSync(file).size === 0) await refuseLeftBehind(files, 'empty');
}

/**
 * Called before a database is migrated: refuses a database that the stored files do not belong to.
 * @throws StartError
 */
export async function requireOwnFiles(files: FilesOfSite, database: Database): Promise<void> {
  // In this order, because a second starting node creates its tables before it marks the storage.
  const inUse = await readable(files, isInUse(files.storage)).catch(tolerate);
  const isNew = !(await describeTable(database.reader, '_setting'));
  if (isNew && inUse === null) {
    throw new StartError(
      `The first start needs the file storage ${placeName(files.place)}, which does not answer.`,
    );
  }
  if (!isNew && inUse !== false) await refuseOthersFiles(files, database);
  if (isNew && (inUse || database.dialect.name === 'sqlite')) await refuseLeftBehind(files, 'empty');
}

async function refuseLeftBehind(files: FilesOfSite, state: 'missing' | 'empty'): Promise<void> {
  const { config, place, storage } = files;
  const file = sqliteFile(config);
  const key = secretKeyFile(config);
  // On PostgreSQL a new node may get the key by configuration.
  const left = file !== null && config.secretKey === null && existsSync(key) ? [key] : [];
  if (await readable(files, isInUse(storage))) left.push(`files in ${placeName(place)}`);
  if (left.length === 0) return;
  throw new StartError(
    `The database${file === null ? '' : ` ${file}`} is ${state}, but its site has left ` +
      `${left.join(' and ')}. Is --database right? If the database is lost, restore it from a backup and start ` +
      'again. To begin a new site, choose another place for its data and files, or move these away first.',
  );
}

/**
 * Refuses files that are bound to another database, or that are not those of the other servers. Resolves to
 * their mark, or null without one.
 * @throws StartError
 */
export async function refuseOthersFiles(files: FilesOfSite, database: Database): Promise<SiteMark | null> {
  return (await compareMarks(files, database)).mark;
}

/** The mark that the database asks for, and the one of the files. @throws StartError when they contradict */
async function compareMarks(files: FilesOfSite, database: Database) {
  // In this order: a start that names the storage writes the mark before the database.
  const wanted = await wantedMark(files, database);
  const mark = await readMark(files, database);
  if (mark && !isSameMark(mark, wanted)) throw otherDatabase(files.place, mark, wanted);
  if (mark && wanted.storage !== null && mark.storage !== wanted.storage) throw otherStorage(files.place);
  if (mark && (await isOlder(database, mark))) throw olderDatabase(files, mark, wanted);
  return { wanted, mark };
}

/**
 * Refuses files that are bound to another database, and unmarked files that the database does not know.
 * `isCopy`: the place gets a copy of the files of the present one.
 * @throws StartError
 */
export async function refuseStrangeFiles(
  files: FilesOfSite,
  database: Database,
  { isCopy = false } = {},
): Promise<SiteMark | null> {
  const { wanted, mark } = await compareMarks(files, database);
  if (mark) return mark;
  if (!isCopy && wanted.storage !== null) throw otherStorage(files.place);
  requireFamiliar(files.place, await readable(files, sampleObjects(database.reader, files.storage)));
  return null;
}

/**
 * Binds unmarked files to the database, if it knows them, and resolves to the mark. Call it once the database
 * has its site id. `isCopy`: the place gets a copy of the files of the present one.
 * @throws StartError when they belong to another database, to an unknown one, or to one that has a storage
 */
export async function bindFiles(
  files: FilesOfSite,
  database: Database,
  { isCopy = false } = {},
): Promise<SiteMark> {
  const wanted = await wantedMark(files, database);
  const mark = async () => {
    if (await refuseStrangeFiles(files, database, { isCopy })) return;
    await writeMark(files, wanted, false);
    // Another site may have been faster.
    await refuseOthersFiles(files, database);
  };
  if (database.dialect.name === 'sqlite') await mark();
  else {
    await database.transaction(async (db) => {
      // Other starts wait for this row until the commit, so that none of them overwrites the mark of another one.
      const known = await lockSetting(db, FILES_STORAGE);
      await mark();
      const storage = await nameStorage(files, wanted, known);
      if (storage !== known) await writeSetting(db, FILES_STORAGE, storage);
    });
  }
  await rememberBound(files, database, wanted);
  return wanted;
}

/**
 * Gives the storage an id, unless it has one, and resolves to it. `known`: the id in the database, '' without one.
 * @throws StartError when the storage is another one
 */
async function nameStorage(files: FilesOfSite, mark: SiteMark, known: string): Promise<string> {
  const found = parseMark(await readable(files, files.storage.readMark()).catch(tolerate));
  // A store that does not answer: see `readMark`.
  if (found === null) return known;
  if (known !== '' && found.storage !== known) throw otherStorage(files.place);
  if (found.storage !== null) return found.storage;
  const storage = randomUUID();
  await writeMark(files, { ...mark, storage }, true);
  return storage;
}

/**
 * Binds the files to the database, whatever their former binding, and makes them its only ones. Resolves to
 * their former mark.
 */
export async function rebindFiles(files: FilesOfSite, database: Database): Promise<SiteMark | null> {
  const former = parseMark(await readable(files, files.storage.readMark()));
  const wanted = await wantedMark(files, database);
  const isShared = database.dialect.name === 'postgres';
  const storage = isShared ? (former?.storage ?? randomUUID()) : null;
  await writeMark(files, { ...wanted, storage }, true);
  if (storage !== null) await database.transaction((db) => writeSetting(db, FILES_STORAGE, storage));
  await rememberBound(files, database, wanted);
  return former;
}

/** The mark of files of this database. */
export async function wantedMark({ config, place }: FilesOfSite, { reader }: Database): Promise<SiteMark> {
  const settings = await loadSettings(reader);
  return {
    site: settings.get(SITE_ID) ?? '',
    database: await databaseIdentity(reader, config, place, settings.get(DATABASE_ID) ?? null),
    storage: settings.get(FILES_STORAGE) || null,
    used: Number(settings.get(FILES_USED) ?? 0),
  };
}

/** The name of a place, without its credentials. */
export function placeName(place: FilesPlace): string {
  return place.kind === 'disk' ? place.root : `s3://${place.bucket}/${place.prefix}`;
}

// While the store is down, a site starts if the files were its own at the last check. The collection of files
// checks again.
async function readMark(files: FilesOfSite, database: Database): Promise<SiteMark | null> {
  try {
    return parseMark(await readable(files, files.storage.readMark()));
  } catch (error) {
    tolerate(error);
    const wanted = await wantedMark(files, database);
    const bound = (await loadSettings(database.reader)).get(FILES_BOUND);
    if (bound !== boundText(files.place, wanted)) throw error;
    files.observe({
      kind: 'warning',
      message: 'The file storage does not answer, so its binding to this database was not checked',
    });
    return wanted;
  }
}

/** The answer of the storage. @throws StartError when files on disk cannot be read */
async function readable<T>({ place }: FilesOfSite, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError || place.kind !== 'disk') throw error;
    throw new StartError(`The files cannot be read: ${whyUnusable(place.root, error)}`, { cause: error });
  }
}

/** Null for a store that does not answer. */
function tolerate(error: unknown): null {
  if (isStoreAway(error)) return null;
  throw error;
}

async function writeMark({ place, storage }: FilesOfSite, mark: SiteMark, replace: boolean): Promise<void> {
  try {
    await storage.writeMark(renderMark(mark), { replace });
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const why = place.kind === 'disk' ? whyUnusable(place.root, error) : messageOf(error);
    throw new StartError(`The files in ${placeName(place)} cannot be written: ${why}`, { cause: error });
  }
}

async function rememberBound({ place }: FilesOfSite, database: Database, mark: SiteMark): Promise<void> {
  const bound = boundText(place, mark);
  if ((await loadSettings(database.reader)).get(FILES_BOUND) === bound) return;
  await database.transaction((connection) => writeSetting(connection, FILES_BOUND, bound));
}

function boundText(place: FilesPlace, mark: SiteMark): string {
  const endpoint = place.kind === 's3' ? place.endpoint : null;
  return JSON.stringify([placeName(place), endpoint, mark.site, mark.database]);
}

function requireFamiliar(place: FilesPlace, { known, unknown, hasFiles }: Sample): void {
  if (unknown > known) {
    throw new StartError(
      `The database does not know most of the files in ${placeName(place)} (${unknown} of ` +
        `${known + unknown} checked): they belong to another site, or to a later state of this database. ` +
        'Set --data, --database and --files so that they belong together. To use these files with this ' +
        `database anyway, ${ADOPT}`,
    );
  }
  if (known === 0 && hasFiles) {
    throw new StartError(
      `The database lists files, but ${placeName(place)} contains none of them. Is the volume mounted, and ` +
        `--files right? To continue without their bytes, ${ADOPT}`,
    );
  }
}

function otherDatabase(place: FilesPlace, mark: SiteMark, wanted: SiteMark): StartError {
  if (mark.database === RESTORING) {
    return new StartError(
      `A restore into ${placeName(place)} was interrupted, so files are missing. ` +
        'Run chancery restore again.',
    );
  }
  const whose =
    mark.site === wanted.site
      ? 'are bound to another copy of this database. This one was restored, moved or copied'
      : `belong to another site (${short(mark.site)}) than the database (${short(wanted.site)})`;
  return new StartError(
    `The files in ${placeName(place)} ${whose}. Two databases cannot share files. If this is a copy for a ` +
      'test, give it another place: --files. If this database takes over the files, and no server uses the ' +
      `other database, ${ADOPT}`,
  );
}

function olderDatabase({ config, place }: FilesOfSite, { used }: SiteMark, wanted: SiteMark): StartError {
  const timeOf = (millis: number) => formatTimestamp(millis * 1000, config.timeZone).slice(0, 19);
  const state = wanted.used === 0 ? '' : ` of ${timeOf(wanted.used)}`;
  return new StartError(
    `The database is in an older state${state} than the files in ${placeName(place)}, which a server used ` +
      `at ${timeOf(used)}. Is --database right? To go back to an earlier state, use chancery restore into an ` +
      `empty place: it repeats no webhook deliveries. To start with this state anyway, ${ADOPT}`,
  );
}

function otherStorage(place: FilesPlace): StartError {
  return new StartError(
    `${placeName(place)} is not the place of this database's files. All servers of a database need the ` +
      'same one: set --files to a directory that they share, or to a bucket (s3://…). Is the volume ' +
      `mounted? To use this place from now on, and not the former one, ${ADOPT}`,
  );
}

function short(id: string): string {
  return id === '' ? 'unknown' : id.slice(0, 8);
}
