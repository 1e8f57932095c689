/** The files of a backup: all that the copied state of the database lists, whatever is deleted meanwhile. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { backUp, pruneBackups } from '../../src/backup/backup.ts';
import type { CopiedFile, EngineCopy } from '../../src/backup/engine.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { holdObjects, isHeld } from '../../src/file/backup-hold.ts';
import { pruneQuarantine } from '../../src/file/quarantine.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { engineOf } from '../support/describe-site.ts';
import { storeText } from '../support/kept-files.ts';
import type { Engine } from '../support/site.ts';
import { siteDatabase } from '../support/site-database.ts';

const undos: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const undo of undos.reverse()) await undo();
});

const KEEP = { hourly: 1, daily: 0, weekly: 0, monthly: 0, logDays: 0 };

async function openWith(engine: Engine, bytes: number): Promise<{ site: OpenSite; root: string }> {
  const data = await mkdtemp(join(tmpdir(), 'chancery-backup-'));
  undos.push(() => rm(data, { recursive: true, force: true }));
  const database = await siteDatabase(engine, data);
  undos.push(() => database.drop());
  const config = { ...DEFAULT_CONFIG, apps: [], data, database: database.url, quarantine: { bytes } };
  const site = await openSite(config, { apps: [] });
  undos.push(() => site.close());
  return { site, root: join(data, 'backups') };
}

const openRepository = (root: string) =>
  Repository.open(diskTarget(root), { key: null, site: 'one', now: Date.now });

/** Copies only the list of files, and lets `meanwhile` happen once the state is taken. */
function listing(site: OpenSite, meanwhile: () => Promise<unknown> = async () => {}): EngineCopy {
  return {
    async copy(repository) {
      const rows = await site.database.reader.all(
        sql`select storage_key, sha256, bytes from _stored_content where swept_at is null`,
      );
      const part = await repository.putPart(Buffer.from('database'));
      await meanwhile();
      async function* files(): AsyncGenerator<CopiedFile> {
        for (const row of rows)
          yield {
            storageKey: String(row.storage_key),
            sha256: String(row.sha256),
            bytes: Number(row.bytes),
          };
      }
      const copy = { pageSize: 4096, pages: 1, parts: [part], overlay: [], log: null };
      return { copy, moment: Date.now(), rows: {}, files: files() };
    },
  };
}

const sha256 = (content: string) => hash('sha256', content);

const remove = (site: OpenSite, name: unknown) =>
  unitOfWork(site, ADMINISTRATOR, (ctx) => deleteDocument(ctx, 'File', String(name)));

async function textsIn(root: string, texts: readonly string[]): Promise<string[]> {
  const repository = await openRepository(root);
  const found: string[] = [];
  for (const each of texts) {
    const file = await repository.openFile(sha256(each));
    if (file) found.push(await text(file));
  }
  return found;
}

for (const engine of engineOf('files of a backup')) {
  describe(`files of a backup on ${engine}`, () => {
    for (const bytes of [0, LIMITS.quarantineBytes]) {
      test(`files that are deleted while it is made are in it (a quarantine of ${bytes} bytes)`, async () => {
        const { site, root } = await openWith(engine, bytes);
        const gone = await storeText(site, 'gone');
        const [first, second] = [await storeText(site, 'first'), await storeText(site, 'second')];
        await remove(site, gone.name);
        const source = listing(site, async () => {
          for (const { name } of [first, second]) await remove(site, name);
          await site.database.transaction((db) => db.run(sql`update _stored_content set swept_at = 1`));
          assert.equal(await pruneQuarantine(site, site.storage), 0);
        });
        const made = await backUp({
          site,
          engine: source,
          repository: await openRepository(root),
          secretKeys: null,
        });
        assert.deepEqual(made.problems, []);
        assert.equal(made.manifest.files.objects, 2);
        assert.deepEqual(await textsIn(root, ['first', 'second', 'gone']), ['first', 'second']);
        assert.equal(await isHeld(site.database.reader, site), false);
        await pruneQuarantine(site, site.storage);
        assert.equal((await site.database.reader.all(sql`select 1 from _stored_content`)).length, 0);
      });
    }

    test('the next one copies new files only, and pruning keeps what it needs', async () => {
      const { site, root } = await openWith(engine, LIMITS.quarantineBytes);
      await storeText(site, 'old');
      const make = async () =>
        backUp({ site, engine: listing(site), repository: await openRepository(root), secretKeys: null });
      await make();
      // Bytes that are in the place already are not read again.
      await storeText(site, 'new');
      const files: number[] = [];
      const repository = await openRepository(root);
      const put = repository.putFile.bind(repository);
      repository.putFile = async (digest, content, size) => {
        files.push(size);
        await put(digest, content, size);
      };
      const { manifest } = await backUp({ site, engine: listing(site), repository, secretKeys: null });
      assert.deepEqual(files, [3]);
      assert.equal(manifest.files.objects, 2);
      const { backups } = await pruneBackups(site, await openRepository(root), KEEP);
      assert.equal(backups.length, 1);
      assert.deepEqual(await textsIn(root, ['old', 'new']), ['old', 'new']);
    });

    test('files that the storage has lost or damaged are named, and the others are in it', async () => {
      const { site, root } = await openWith(engine, LIMITS.quarantineBytes);
      for (const name of ['good', 'lost', 'damaged']) await storeText(site, name);
      const keyOf = async (content: string) => {
        const digest = sha256(content);
        const found = sql`select storage_key from _stored_content where sha256 = ${digest}`;
        return String((await site.database.reader.get(found))?.storage_key);
      };
      await site.storage.delete(await keyOf('lost'));
      const damaged = await keyOf('damaged');
      await writeFile(site.storage.pathOf?.(damaged) ?? '', 'DAMAGED');
      const { problems, manifest } = await backUp({
        ...{ site, engine: listing(site), secretKeys: null },
        repository: await openRepository(root),
      });
      assert.equal(problems.length, 2);
      assert.match(problems.toSorted().join('\n'), /missing in the file storage/);
      assert.ok(problems.some((problem) => problem.startsWith(damaged) && problem.includes('are damaged')));
      assert.equal(manifest.files.objects, 1);
      assert.deepEqual(await textsIn(root, ['good', 'lost', 'damaged']), ['good']);
    });

    test('one process at a time makes a backup, and a hold that nobody renews ends', async () => {
      const { site, root } = await openWith(engine, LIMITS.quarantineBytes);
      const hold = await holdObjects(site, 'backup');
      const refused = { name: 'ServiceUnavailableError', message: /Another backup of this site is running/ };
      const make = async () =>
        backUp({ site, engine: listing(site), repository: await openRepository(root), secretKeys: null });
      await assert.rejects(make(), refused);
      await assert.rejects(pruneBackups(site, await openRepository(root), KEEP), refused);
      const other = await holdObjects(site, 'log');
      await other.release();
      assert.equal(await isHeld(site.database.reader, site), true);
      await site.database.transaction((db) =>
        db.run(sql`update "_backup_hold" set "seen_at" = "seen_at" - 61000`),
      );
      assert.equal(await isHeld(site.database.reader, site), false);
      await make();
      await hold.release();
    });
  });
}
