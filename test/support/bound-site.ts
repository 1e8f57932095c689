import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import pg from 'pg';
import { adoptFiles } from '../../src/cli/files-adopt.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { MARK_NAME } from '../../src/file/storage-key.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { databaseUrl } from '../../src/site/data-directory.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { filesPlaceOf, openStorage } from '../../src/site/open-storage.ts';
import { opened, sizeOf, storeText } from './kept-files.ts';
import { type Engine, freshDatabaseUrl, postgresUrl } from './postgres.ts';
import { NO_S3, newBucket, type S3Server, startS3 } from './s3.ts';

/** Where the files of a site are. */
export type Where = 'in the data directory' | 'in another directory' | 'in a bucket';

/** Texts of the files that the early copy of the database knows, and of those that came later. */
export const EARLY = ['early one', 'early two', 'early three'];
const LATE = ['late one', 'late two'];
export const ALL = [...EARLY, ...LATE].sort();

/**
 * A site with files, stopped. A copy of its database and its data was made between the early files and the
 * late ones.
 */
export interface Stage {
  readonly config: Config;
  /** The data directory as it was after the early files, and without those when they are elsewhere. */
  readonly early: string;
  /** File urls by text. */
  readonly urls: ReadonlyMap<string, unknown>;
  /** A place for more. */
  readonly root: string;
}

/** Undone after the tests of the file, the latest first. */
export const undos: (() => Promise<unknown>)[] = [];
let server: S3Server | null = null;

/** Starts an S3 server before the tests of a file, if there is one, and undoes everything after them. */
export function startStages(): { s3(): S3Server } {
  before(async () => {
    if (NO_S3 === false) server = await startS3();
  });
  after(async () => {
    for (const undo of undos.reverse()) await undo();
    await server?.stop();
  });
  return {
    s3() {
      assert.ok(server);
      return server;
    },
  };
}

/** Makes a site with files, and stops it. */
export async function stage(engine: Engine, where: Where): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), 'chancery-bound-'));
  undos.push(() => rm(root, { recursive: true, force: true }));
  const config: Config = {
    ...DEFAULT_CONFIG,
    apps: [],
    data: join(root, 'data'),
    database: engine === 'postgres' ? await emptySchema() : null,
    files:
      where === 'in a bucket' && server
        ? await newBucket(server)
        : where === 'in another directory'
          ? join(root, 'files')
          : null,
  };
  const early = join(root, 'early');
  const urls = new Map<string, unknown>();
  for (const texts of [EARLY, LATE]) {
    await opened(config, async (site) => {
      for (const text of texts) urls.set(text, (await storeText(site, text)).file_url);
    });
    if (texts === EARLY) await cp(config.data, early, { recursive: true });
  }
  return { config, early, urls, root };
}

/** Where its files are, as the setting `files` says it. */
export function filesOf(config: Config): string {
  return config.files ?? join(config.data, 'files');
}

/** A PostgreSQL database with nothing in it. */
export async function emptySchema(): Promise<string> {
  const fresh = await freshDatabaseUrl('postgres');
  undos.push(() => fresh.drop());
  return fresh.url;
}

/** Gives its PostgreSQL schema another name; resolves to the url of that. */
export async function renamedSchema({ database }: Config): Promise<string> {
  const url = new URL(database ?? '');
  const schema = url.searchParams.get('schema') ?? '';
  const client = new pg.Client({ connectionString: await plainUrl() });
  await client.connect();
  await client.query(`alter schema "${schema}" rename to "${schema}_moved"`);
  await client.end();
  url.searchParams.set('schema', `${schema}_moved`);
  return url.href;
}

async function plainUrl(): Promise<string> {
  const url = new URL(await postgresUrl());
  url.search = '';
  return url.href;
}

/** Makes site and files those of a version that knew no marks. */
export async function forgetBinding(config: Config): Promise<void> {
  const place = filesPlaceOf(config);
  if (place.kind === 'disk') await rm(join(place.root, MARK_NAME));
  else await deleteObject(config);
  const database = await openDatabase(databaseUrl(config));
  await database.transaction((db) =>
    db.run(sql`delete from _setting where key in ('files_bound', 'files_storage')`),
  );
  await database.close();
}

/** Makes the database one that was used so many milliseconds after its files; before them for a negative number. */
export async function noteUsedAt(config: Config, millis: number): Promise<void> {
  const database = await openDatabase(databaseUrl(config));
  await database.transaction((db) =>
    db.run(
      sql`update _setting set value = cast(cast(value as bigint) + ${millis} as text) where key = 'files_used'`,
    ),
  );
  await database.close();
}

async function deleteObject(config: Config): Promise<void> {
  const place = filesPlaceOf(config);
  assert.ok(place.kind === 's3' && place.credentials && place.endpoint);
  const { DeleteObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const { key: accessKeyId, secret: secretAccessKey } = place.credentials;
  const client = new S3Client({
    endpoint: place.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await client.send(new DeleteObjectCommand({ Bucket: place.bucket, Key: place.prefix + MARK_NAME }));
  client.destroy();
}

/** Opens the storage of the configuration for a while. */
export async function withStorage<T>(
  config: Config,
  work: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(filesPlaceOf(config), systemRandom());
  try {
    return await work(storage);
  } finally {
    storage.close?.();
  }
}

/** Whether the database of the configuration has tables. */
export async function hasDatabase(config: Config): Promise<boolean> {
  const url = databaseUrl(config);
  // Opening an empty file would make a database of it.
  if (url.startsWith('sqlite:') && (await sizeOf(url.slice('sqlite:'.length))) === 0) return false;
  const database = await openDatabase(url);
  const found = await database.reader
    .get(sql`select 1 as found from _setting limit 1`)
    .catch(() => undefined);
  await database.close();
  return found !== undefined;
}

/** Runs `chancery files adopt`; resolves to what it prints. */
export async function adopt(config: Config, flags: Readonly<Record<string, true>>): Promise<string[]> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  assert.equal(
    await adoptFiles({ config, words: ['adopt'], flags, sources: new Map(), warnings: [], print }),
    0,
  );
  return lines;
}

/** The same, with the question answered. */
export function adopted(config: Config): Promise<string[]> {
  return adopt(config, { yes: true });
}

/** What the doctor says of the files, if that is a problem. */
export async function examined(config: Config): Promise<string | null> {
  const findings = await examineSite(config, []);
  return findings.find(({ check, state }) => check === 'files' && state === 'problem')?.message ?? null;
}
