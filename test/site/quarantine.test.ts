/**
 * Stored bytes that no file has any more: they lie in quarantine, come back when a database knows them, and
 * go in the end.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { adoptFiles } from '../../src/cli/files-adopt.ts';
import { checkStoredFiles } from '../../src/cli/files-check.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sharedMillis } from '../../src/db/shared-clock.ts';
import { sql } from '../../src/db/sql.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { collectOrphans } from '../../src/file/collect-orphans.ts';
import { diskStorage } from '../../src/file/disk-storage.ts';
import { pruneQuarantine, quarantineFigures } from '../../src/file/quarantine.ts';
import { parseMark, type SiteMark } from '../../src/file/site-mark.ts';
import { startCollecting } from '../../src/file/start-collecting.ts';
import type { Storage } from '../../src/file/storage.ts';
import { writerOf } from '../../src/file/storage-writer.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { noteUsedAt, startStages, undos } from '../support/bound-site.ts';
import { engineOf } from '../support/describe-site.ts';
import { keptTexts, keysIn, opened, servedText, storeText } from '../support/kept-files.ts';
import { NO_S3, newBucket } from '../support/s3.ts';
import type { Engine } from '../support/site.ts';
import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';

const stages = startStages();

async function configOf(
  engine: Engine,
  on: 'disk' | 's3',
  bytes: number = LIMITS.quarantineBytes,
): Promise<Config> {
  const data = await mkdtemp(join(tmpdir(), 'chancery-quarantine-'));
  undos.push(() => rm(data, { recursive: true, force: true }));
  const database = await siteDatabase(engine, data);
  undos.push(() => database.drop());
  const files = on === 's3' ? await newBucket(stages.s3()) : null;
  return { ...DEFAULT_CONFIG, apps: [], data, database: database.url, files, quarantine: { bytes } };
}

const remove = (site: OpenSite, name: unknown) =>
  unitOfWork(site, ADMINISTRATOR, (ctx) => deleteDocument(ctx, 'File', String(name)));

/**
 * The storage as one sees it to whom everything that is on its way looks like an old leftover of another
 * process.
 */
function impatient(storage: Storage): Storage {
  return {
    ...storage,
    async *list() {
      for await (const object of storage.list()) yield { ...object, ours: false, modifiedAt: 0 };
    },
  };
}

async function putText(storage: Storage, text: string): Promise<string> {
  const key = storage.newKey();
  await storage.put(key, Readable.from([Buffer.from(text)]), { maxBytes: 1_000 });
  return key;
}

const collect = (site: OpenSite, storage = site.storage) =>
  collectOrphans(site, impatient(storage), { alone: true });

/** Lets time pass for what is in quarantine. */
const age = ({ database }: OpenSite, millis: number) =>
  database.transaction((db) => db.run(sql`update _stored_content set swept_at = swept_at - ${millis}`));

const figures = ({ database }: OpenSite) => quarantineFigures(database.reader);

for (const engine of engineOf('quarantine')) {
  for (const on of ['disk', 's3'] as const) {
    describe(`the quarantine on ${engine} and ${on}`, { skip: on === 's3' && NO_S3 }, () => {
      test('bytes without a File are kept for seven days', async () => {
        const config = await configOf(engine, on);
        await opened(config, async (site) => {
          const kept = await storeText(site, 'kept');
          const deleted = await storeText(site, 'deleted');
          await putText(site.storage, 'unknown');
          await remove(site, deleted.name);
          await until(async () => (await figures(site)).deleted.objects === 1);
          assert.equal((await collect(site)).quarantined, 1);
          // Again, and nothing is given up twice.
          assert.equal((await collect(site)).quarantined, 0);
          assert.deepEqual(await figures(site), {
            unknown: { objects: 1, bytes: 7 },
            deleted: { objects: 1, bytes: 7 },
          });
          assert.equal(await servedText(site, deleted.file_url), null);
          await age(site, LIMITS.quarantineAge - 60_000);
          assert.equal(await pruneQuarantine(site, site.storage), 0);
          const { inPlace, aside } = await keptTexts(config);
          assert.deepEqual([...inPlace, ...aside].sort(), ['deleted', 'kept', 'unknown']);
          assert.deepEqual(aside, on === 'disk' ? ['deleted', 'unknown'] : []);
          await age(site, 61_000);
          // The site itself may prune at this moment, too.
          await pruneQuarantine(site, site.storage);
          await until(
            async () => (await keptTexts(config)).aside.length + (await keysIn(site.storage)).length === 1,
          );
          assert.deepEqual(await keptTexts(config), { inPlace: ['kept'], aside: [] });
          assert.equal(await servedText(site, kept.file_url), 'kept');
          assert.deepEqual((await figures(site)).deleted.objects, 0);
        });
      });

      test('bytes with a File are not deleted', async () => {
        const config = await configOf(engine, on);
        await opened(config, async (site) => {
          const file = await storeText(site, 'needed');
          await site.database.transaction((db) =>
            db.run(sql`update _stored_content set swept_at = ${sharedMillis(db, site.clock)}`),
          );
          await age(site, 2 * LIMITS.quarantineAge);
          assert.equal(await pruneQuarantine(site, site.storage), 0);
          assert.equal((await collect(site)).known, 1);
          assert.equal(await servedText(site, file.file_url), 'needed');
        });
      });

      test('above the limit deleted files go, oldest first; unknown objects stay', async () => {
        const config = await configOf(engine, on, 10);
        await opened(config, async (site) => {
          for (const text of ['first!', 'second']) {
            const { name } = await storeText(site, text);
            await remove(site, name);
            await age(site, 1_000);
          }
          await pruneQuarantine(site, site.storage);
          await until(
            async () => (await keptTexts(config)).aside.length + (await keysIn(site.storage)).length === 1,
          );
          const { inPlace, aside } = await keptTexts(config);
          assert.deepEqual([...inPlace, ...aside], ['second']);
          for (let count = 0; count < 3; count += 1) await putText(site.storage, `unknown ${count}`);
          await collect(site);
          await pruneQuarantine(site, site.storage);
          assert.deepEqual(await figures(site), {
            unknown: { objects: 3, bytes: 27 },
            deleted: { objects: 0, bytes: 0 },
          });
        });
      });

      test('with a limit of 0 deleted files go at once; unknown objects stay', async () => {
        const config = await configOf(engine, on, 0);
        await opened(config, async (site) => {
          await remove(site, (await storeText(site, 'deleted')).name);
          await putText(site.storage, 'unknown');
          await until(async () => (await keysIn(site.storage)).length === 1);
          await collect(site);
          await pruneQuarantine(site, site.storage);
          assert.deepEqual(await figures(site), {
            unknown: { objects: 1, bytes: 7 },
            deleted: { objects: 0, bytes: 0 },
          });
          const { inPlace, aside } = await keptTexts(config);
          assert.deepEqual([...inPlace, ...aside], ['unknown']);
        });
      });

      test('when most objects are unknown, none is moved, and log, metrics and doctor report it', async () => {
        const config = await configOf(engine, on);
        const observed: Observation[] = [];
        const texts = [
          'known',
          ...Array.from({ length: LIMITS.fewUnknown + 1 }, (_, index) => `unknown ${index}`),
        ];
        await opened(config, async (site) => {
          await storeText(site, 'known');
          for (const text of texts.slice(1)) await putText(site.storage, text);
          const metrics = new Metrics();
          const mark = parseMark(await site.storage.readMark()) as SiteMark;
          const stop = await startCollecting(
            {
              ...site,
              observe(observation) {
                observed.push(observation);
                metrics.note(observation);
              },
            },
            impatient(site.storage),
            mark,
          );
          await until(async () => observed.length > 0);
          await stop();
          const unknown = LIMITS.fewUnknown + 1;
          assert.deepEqual(observed, [{ kind: 'collection_stopped', known: 1, unknown }]);
          assert.ok(metrics.lines().includes('chancery_file_collections_stopped_total 1'));
        });
        assert.deepEqual(await keptTexts(config), { inPlace: texts.sort(), aside: [] });
        const findings = await examineSite(config, []);
        assert.match(
          findings.find(({ check, state }) => check === 'files' && state === 'problem')?.message ?? '',
          /^The database does not know 11 of 12 stored objects, so none is collected$/,
        );
        // Somebody says that they are not needed.
        await makeOld(config);
        const flags = { yes: true, 'set-aside': true } as const;
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        assert.equal(
          await adoptFiles({ config, flags, words: ['adopt'], sources: new Map(), warnings: [], print }),
          0,
        );
        if (on === 'disk') assert.equal(lines.at(-1), '11 files are in quarantine.');
        const { inPlace, aside } = await keptTexts(config);
        assert.deepEqual([...inPlace, ...aside].sort(), texts);
      });
    });
  }

  test(`leftovers of an interrupted upload are deleted, and parts of uploads stay, on ${engine}`, async () => {
    const config = await configOf(engine, 'disk');
    await opened(config, async (site) => {
      const deleted: string[] = [];
      const part = `${site.storage.newKey()}.part`;
      const piece = await putText(site.storage, 'piece');
      await site.database.transaction((db) =>
        db.run(
          sql`insert into _partial_piece (storage_key, upload, start, bytes) values (${piece}, 'u', 0, 5)`,
        ),
      );
      const storage: Storage = {
        ...site.storage,
        async *list() {
          yield* impatient(site.storage).list();
          yield { key: part, modifiedAt: 0, bytes: 3, ours: false };
        },
        delete: async (key) => void deleted.push(key),
      };
      const { known, unknown, quarantined } = await collectOrphans(site, storage, { alone: true });
      assert.deepEqual([known, unknown, quarantined, deleted], [1, 0, 0, [part]]);
      assert.equal((await figures(site)).unknown.objects, 0);
      await site.database.transaction((db) => db.run(sql`delete from _partial_piece`));
    });
  });

  test(`a change of privacy keeps the bytes under their former key on ${engine}`, async () => {
    const config = await configOf(engine, 'disk');
    await opened(config, async (site) => {
      // The public bytes are there already, so the private object is not needed any more.
      const shared = await storeText(site, 'shared');
      const open = await storeText(site, 'shared');
      const change = (name: unknown, is_private: number) =>
        unitOfWork(site, ADMINISTRATOR, (ctx) => updateDocument(ctx, 'File', String(name), { is_private }));
      await change(open.name, 0);
      await change(shared.name, 0);
      await until(async () => (await keptTexts(config)).aside.length === 1);
      assert.deepEqual((await figures(site)).deleted, { objects: 1, bytes: 6 });
    });
  });

  test(`a disk that is nearly full keeps no deleted files on ${engine}`, async () => {
    const config = await configOf(engine, 'disk');
    await opened(config, async (site) => {
      await remove(site, (await storeText(site, 'deleted')).name);
      await putText(site.storage, 'unknown');
      await until(async () => (await figures(site)).deleted.objects === 1);
      await collect(site);
      const full = { ...site.storage, free: async () => LIMITS.quarantineFree - 1 };
      await pruneQuarantine(site, full);
      await until(async () => (await keptTexts(config)).aside.length === 1);
      assert.deepEqual(await keptTexts(config), { inPlace: [], aside: ['unknown'] });
    });
  });

  test(`a storage bound to another database meanwhile stays untouched on ${engine}`, async () => {
    const config = await configOf(engine, 'disk');
    await opened(config, async (site) => {
      const mark = parseMark(await site.storage.readMark()) as SiteMark;
      await putText(site.storage, 'unknown');
      await site.storage.writeMark(JSON.stringify({ site: 'another', database: 'one' }), { replace: true });
      const observed: Observation[] = [];
      const observe = (observation: Observation) => void observed.push(observation);
      const stop = await startCollecting({ ...site, observe }, impatient(site.storage), mark);
      await until(async () => observed.length > 0);
      await stop();
      assert.match(
        String(observed.map((each) => each.kind === 'unexpected' && each.error)),
        /another database/,
      );
      assert.deepEqual(await keptTexts(config), { inPlace: ['unknown'], aside: [] });
    });
  });
}

test('another process soon collects the leftovers of a killed one', async () => {
  const config = await configOf('postgres', 'disk');
  await opened(config, async (site) => {
    const mark = parseMark(await site.storage.readMark()) as SiteMark;
    let lists = 0;
    const storage: Storage = {
      ...site.storage,
      async *list() {
        yield* site.storage.list();
        lists += 1;
      },
    };
    const stop = await startCollecting(site, storage, mark, 10);
    await until(async () => lists > 0);
    const root = join(config.data, 'files');
    const killed = diskStorage(root);
    const key = await putText(killed, 'left over');
    const past = new Date(Date.now() - 120_000);
    await utimes(join(root, key), past, past);
    await site.database.transaction((db) =>
      db.run(
        sql`insert into _storage_writer (writer, seen_at) values (${writerOf(key)}, ${sharedMillis(db, site.clock)} - 120000)`,
      ),
    );
    await until(async () => (await keptTexts(config)).aside.length === 1);
    await until(async () => {
      const found = await site.database.reader.get(
        sql`select 1 as found from _storage_writer where writer = ${writerOf(key)}`,
      );
      return found === undefined;
    });
    // It is told once, and then there is peace again.
    await stop();
    assert.ok(lists < 10, `${lists} collections`);
  });
});

for (const remedy of ['a start', 'files check', 'files adopt'] as const) {
  test(`${remedy} restores the files of an older database`, async () => {
    const config = await configOf('sqlite', 'disk');
    const database = join(config.data, 'chancery.db');
    const older = join(config.data, 'older.db');
    const urls = await opened(config, async (site) => {
      const files = [await storeText(site, 'one'), await storeText(site, 'two')];
      return files.map(({ file_url }) => file_url);
    });
    await copyFile(database, older);
    await opened(config, async (site) => {
      const names = await site.database.reader.all(sql`select name from "File" where is_folder = 0`);
      for (const { name } of names) await remove(site, name);
      await until(async () => (await keptTexts(config)).aside.length === 2);
    });
    await copyFile(older, database);
    // As a standby that lacks the last commits, with which the start is not refused.
    if (remedy === 'a start') await noteUsedAt(config, 60_000);
    const lines: string[] = [];
    const invocation = {
      config,
      flags: { yes: true },
      words: [],
      sources: new Map(),
      warnings: [],
      print: (line: string) => void lines.push(line),
    } as const;
    if (remedy === 'files check') assert.equal(await checkStoredFiles(invocation), 0);
    if (remedy === 'files adopt') assert.equal(await adoptFiles(invocation), 0);
    if (remedy !== 'a start') {
      assert.match(lines.join('\n'), /2 (objects that files need|files) were restored from quarantine/);
      assert.deepEqual(await keptTexts(config), { inPlace: ['one', 'two'], aside: [] });
    }
    if (remedy === 'files check') assert.equal(await adoptFiles(invocation), 0);
    const site = await openSite(config, { apps: [] });
    try {
      assert.deepEqual(await Promise.all(urls.map((url) => servedText(site, url))), ['one', 'two']);
    } finally {
      await site.close();
    }
  });
}

/** Stored objects of a disk as they are after hours. */
async function makeOld(config: Config): Promise<void> {
  if (config.files !== null) return;
  const past = new Date(Date.now() - 2 * 60 * 60_000);
  const root = join(config.data, 'files');
  for (const key of await keysIn(diskStorage(root))) await utimes(join(root, key), past, past);
}
