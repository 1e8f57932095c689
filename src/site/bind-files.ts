import { existsSync, statSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { FilesPlace } from '../config/files-place.ts';
import type { Database } from '../db/database.ts';
import { describeTable } from '../db/describe.ts';
import { isInUse, type Sample, sampleObjects } from '../file/sample-objects.ts';
import { isSameMark, parseMark, renderMark, type SiteMark } from '../file/site-mark.ts';
import type { Storage } from '../file/storage.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Observer } from '../kernel/observation.ts';
import { sqliteFile } from './data-directory.ts';
import { databaseIdentity } from './database-identity.ts';
import { secretKeyFile } from './key-file.ts';
import { SITE_ID } from './secret-key.ts';
import { readSettings, writeSetting } from './settings-table.ts';
import { StartError } from './start-error.ts';
import { messageOf } from './why-unusable.ts';

/** A file storage, and the configuration that put a database beside it. */
export interface FilesOfSite {
  readonly config: Config;
  readonly place: FilesPlace;
  readonly storage: Storage;
  readonly observe: Observer;
}

/** In `_setting`: the place of the files and their mark, as they were when both were last read. */
const BOUND = 'files_bound';

const ADOPT = 'run once: chancery files adopt';

/**
 * Before an SQLite database is made: refuses to begin a new site beside what is left of another one, whose
 * database is lost.
 * @throws StartError
 */
export async function refuseLostDatabase(files: FilesOfSite): Promise<void> {
  const file = sqliteFile(files.config);
  if (file === null) return;
  if (!existsSync(file)) await refuseLeftBehind(files, 'missing');
  else if (statSync(file).size === 0) await refuseLeftBehind(files, 'empty');
}

/**
 * Before a database is migrated: refuses one that the stored files do not belong to.
 * @throws StartError
 */
export async function requireOwnFiles(files: FilesOfSite, database: Database): Promise<void> {
  // In this order: of two nodes that start at once, the other one makes its tables before it marks the
  // storage.
  const inUse = await isInUse(files.storage).catch(tolerate);
  const isNew = !(await describeTable(database.reader, '_setting'));
  if (isNew && inUse === null) {
    throw new StartError(
      `The first start needs the files in ${placeName(files.place)}, and they do not answer.`,
    );
  }
  if (!isNew && inUse !== false) await refuseOthersFiles(files, database);
  if (isNew && (inUse || database.dialect.name === 'sqlite')) await refuseLeftBehind(files, 'empty');
}

async function refuseLeftBehind(files: FilesOfSite, state: 'missing' | 'empty'): Promise<void> {
  const { config, place, storage } = files;
  const file = sqliteFile(config);
  const key = secretKeyFile(config);
  // On PostgreSQL a new node may have been given the key.
  const left = file !== null && config.secretKey === null && existsSync(key) ? [key] : [];
  if (await isInUse(storage)) left.push(`files in ${placeName(place)}`);
  if (left.length === 0) return;
  throw new StartError(
    `The database${file === null ? '' : ` ${file}`} is ${state}. Its site has left ${left.join(' and ')}. ` +
      'Is --database right? If the database is lost, restore it from a backup and start again. To begin a new site, ' +
      'choose another place for its data and files, or move these away first.',
  );
}

/**
 * Refuses files that are bound to another database. Resolves to their mark, if they have one.
 * @throws StartError
 */
export async function refuseOthersFiles(files: FilesOfSite, database: Database): Promise<SiteMark | null> {
  const mark = await readMark(files, database);
  const wanted = await wantedMark(files, database);
  if (mark && !isSameMark(mark, wanted)) throw otherDatabase(files.place, mark, wanted);
  return mark;
}

/**
 * Refuses files that are bound to another database, and files without a mark that the database does not know.
 * @throws StartError
 */
export async function refuseStrangeFiles(files: FilesOfSite, database: Database): Promise<SiteMark | null> {
  const mark = await refuseOthersFiles(files, database);
  if (!mark) requireFamiliar(files.place, await sampleObjects(database.reader, files.storage));
  return mark;
}

/**
 * Binds files without a mark to the database, if it knows them, and resolves to the mark. Once the database
 * has its site id.
 * @throws StartError when they belong to another database, or to none that can be told
 */
export async function bindFiles(files: FilesOfSite, database: Database): Promise<SiteMark> {
  const wanted = await wantedMark(files, database);
  if (!(await refuseStrangeFiles(files, database))) {
    await writeMark(files, wanted, false);
    // Another site may have been faster.
    await refuseOthersFiles(files, database);
  }
  await rememberBound(files, database, wanted);
  return wanted;
}

/** Binds the files to the database, whatever they were bound to. Resolves to their former mark. */
export async function rebindFiles(files: FilesOfSite, database: Database): Promise<SiteMark | null> {
  const former = parseMark(await files.storage.readMark());
  const wanted = await wantedMark(files, database);
  await writeMark(files, wanted, true);
  await rememberBound(files, database, wanted);
  return former;
}

/** The mark of files that belong to this database. */
export async function wantedMark({ config, place }: FilesOfSite, { reader }: Database): Promise<SiteMark> {
  const site = (await readSettings(reader)).get(SITE_ID) ?? '';
  return { site, database: await databaseIdentity(reader, config, place) };
}

/** A place without its credentials. */
export function placeName(place: FilesPlace): string {
  return place.kind === 'disk' ? place.root : `s3://${place.bucket}/${place.prefix}`;
}

// While the store is down a site starts whose files were its own when they were last looked at. Collections
// look again.
async function readMark(files: FilesOfSite, database: Database): Promise<SiteMark | null> {
  try {
    return parseMark(await files.storage.readMark());
  } catch (error) {
    tolerate(error);
    const wanted = await wantedMark(files, database);
    const bound = (await readSettings(database.reader)).get(BOUND);
    if (bound !== boundText(files.place, wanted)) throw error;
    files.observe({
      kind: 'warning',
      message: 'The file storage does not answer: whether it is bound to this database was not checked',
    });
    return wanted;
  }
}

/** Null for a store that does not answer. */
function tolerate(error: unknown): null {
  if (error instanceof ServiceError && error.type === 'ServiceUnavailableError') return null;
  throw error;
}

async function writeMark({ place, storage }: FilesOfSite, mark: SiteMark, replace: boolean): Promise<void> {
  try {
    await storage.writeMark(renderMark(mark), { replace });
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new StartError(`The files in ${placeName(place)} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function rememberBound({ place }: FilesOfSite, database: Database, mark: SiteMark): Promise<void> {
  const bound = boundText(place, mark);
  if ((await readSettings(database.reader)).get(BOUND) === bound) return;
  await database.transaction((connection) => writeSetting(connection, BOUND, bound));
}

function boundText(place: FilesPlace, mark: SiteMark): string {
  const endpoint = place.kind === 's3' ? place.endpoint : null;
  return JSON.stringify([placeName(place), endpoint, mark.site, mark.database]);
}

function requireFamiliar(place: FilesPlace, { known, unknown, hasFiles }: Sample): void {
  if (unknown > known) {
    throw new StartError(
      `The database does not know most of the files in ${placeName(place)} (${unknown} of the ${known + unknown} looked ` +
        'at): they are those of another site, or of a later state of this database. Set --data, --database and --files ' +
        `to what belongs together. To use these files with this database all the same, ${ADOPT}`,
    );
  }
  if (known === 0 && hasFiles) {
    throw new StartError(
      `The database has files, but there is none of them in ${placeName(place)}. Is the volume mounted, and --files right? ` +
        `To go on without their bytes, ${ADOPT}`,
    );
  }
}

function otherDatabase(place: FilesPlace, mark: SiteMark, wanted: SiteMark): StartError {
  const whose =
    mark.site === wanted.site
      ? 'are bound to another copy of this database. This one was restored, moved or copied'
      : `belong to another site (${short(mark.site)}) than the database (${short(wanted.site)})`;
  return new StartError(
    `The files in ${placeName(place)} ${whose}. Two databases cannot share files. If this is a copy for a test, give it ` +
      'another place: --files. If this database shall have the files from now on, and no server uses the other one, ' +
      ADOPT,
  );
}

function short(id: string): string {
  return id === '' ? 'unknown' : id.slice(0, 8);
}
