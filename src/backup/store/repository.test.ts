import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { targetConformance } from '../../../test/target-conformance.ts';
import { backupName, type Manifest } from './manifest.ts';
import { prune } from './prune.ts';
import { Repository } from './repository.ts';
import type { Target } from './target.ts';
import { diskTarget } from './target-disk.ts';

const DAY = 24 * 60 * 60_000;
const KEY = randomBytes(32);
const KEEP = { hourly: 0, daily: 2, weekly: 0, monthly: 0, logDays: 0 };

let root: string;
let target: Target;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'chancery-backups-'));
});
after(() => rm(root, { recursive: true, force: true }));

targetConformance('on a disk', async () => diskTarget(root));

describe('a repository', () => {
  beforeEach(empty);

  const open = (key: Buffer | null = KEY, site: string | undefined = 'one') =>
    Repository.open(target, { key, now: Date.now, ...(site !== undefined && { site }) });

  async function empty(): Promise<void> {
    await rm(root, { recursive: true, force: true });
    target = diskTarget(root);
  }

  async function backUp(repository: Repository, parts: readonly string[], files: readonly Buffer[], day = 0) {
    const ids: string[] = [];
    for (const part of parts) ids.push(await repository.putPart(Buffer.from(part)));
    for (const file of files) await repository.putFile(sha256(file), file, file.length);
    const index = await repository.putFileIndex(files.map(sha256));
    const started = Date.UTC(2026, 0, 1 + day, 12);
    const later = [await repository.putPart(Buffer.from('later'))];
    const manifest: Manifest = {
      later,
      ...{ format: 1, name: backupName(started, randomBytes(4)), site: 'one', version: '1' },
      ...{ started, moment: started, finished: started, engine: 'sqlite', rows: { tabNote: 1 } },
      database: { pageSize: 4096, pages: 1, parts: ids, overlay: [], log: null },
      files: { objects: files.length, bytes: 0, index },
    };
    await repository.putManifest(manifest);
    return manifest;
  }

  test('what is put comes back, from another process too', async () => {
    for (const key of [KEY, null]) {
      await empty();
      const file = randomBytes(3_000_000);
      const made = await backUp(await open(key), ['first', 'second'], [file]);
      const repository = await open(key, undefined);
      assert.deepEqual(await repository.manifests(), [made]);
      const [first = ''] = 'parts' in made.database ? made.database.parts : [];
      assert.equal((await repository.getPart(first)).toString(), 'first');
      const opened = await repository.openFile(sha256(file));
      assert.ok(opened);
      assert.deepEqual(await buffer(opened), file);
      assert.equal(await repository.openFile(sha256(Buffer.from('unknown'))), null);
    }
  });

  test('processes that begin in an empty place at once agree on it', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()));
    assert.deepEqual(new Set(all.map(({ site }) => site)), new Set(['one']));
  });

  test('the next backup stores only what is new', async () => {
    const file = randomBytes(1_000);
    await backUp(await open(), ['same', 'old'], [file]);
    const before = await names();
    const repository = await open();
    await repository.loadFiles();
    assert.ok(repository.hasFile(sha256(file)));
    assert.ok(!repository.hasFile(sha256(Buffer.from('new'))));
    await backUp(repository, ['same', 'new'], [file], 1);
    const added = (await names()).filter((name) => !before.includes(name));
    assert.deepEqual(added.map((name) => name.split('/')[0]).toSorted(), ['backups', 'data']);
  });

  test('neither names nor bytes show the content of an encrypted backup', async () => {
    const file = Buffer.from('the text of a file, the text of a file');
    await backUp(await open(), ['the text of a part, the text of a part'], [file]);
    for (const name of await names()) {
      assert.ok(!name.includes(sha256(file)), name);
      const bytes = await readFile(join(root, name));
      assert.ok(!bytes.includes('the text') && !bytes.includes('tabNote'), name);
    }
  });

  const PLACES: readonly [string, Buffer | null, Buffer | null, string, RegExp][] = [
    ['another site', KEY, KEY, 'two', /those of another site \(one\)/],
    ['another key', KEY, randomBytes(32), 'one', /not the backup key/],
    ['no key', KEY, null, 'one', /the backup key is needed/],
    ['a key for backups without encryption', null, KEY, 'one', /are not encrypted/],
  ];
  for (const [what, made, key, site, message] of PLACES) {
    test(`${what} is refused`, async () => {
      await open(made);
      await assert.rejects(open(key, site), { name: 'ValidationError', message });
    });
  }

  test('a place without backups, with other things, or of a newer version is refused', async () => {
    await assert.rejects(Repository.open(target, { key: KEY, now: Date.now }), /no backups of Chancery/);
    await target.put('thesis.txt', Buffer.from('x'));
    await assert.rejects(open(), /holds other things/);
    await target.put('chancery-backup.json', Buffer.from('{"format":2,"site":"one"}'));
    await assert.rejects(open(), /newer version/);
    await target.put('chancery-backup.json', Buffer.from('{'));
    await assert.rejects(open(), /damaged: object chancery-backup.json/);
  });

  test('every change of a stored byte, a cut and an exchange is noticed', async () => {
    for (const key of [KEY, null]) {
      await empty();
      const repository = await open(key);
      const big = Buffer.concat([randomBytes(1024 * 1024), Buffer.alloc(1024 * 1024, 'a')]);
      const [part, other] = [await repository.putPart(big), await repository.putPart(Buffer.from('b'))];
      const path = (id: string) => join(root, 'data', id.slice(0, 2), id);
      const good = await readFile(path(part));
      const second = 4 + 1 + (key ? 16 : 0) + 4 + 1024 * 1024 + (key ? 16 : 4);
      const damaged: Record<string, Buffer> = {
        'nothing is left': Buffer.alloc(0),
        'the last byte is missing': good.subarray(0, -1),
        'the second frame is missing': good.subarray(0, second),
        'a byte follows': Buffer.concat([good, Buffer.from('x')]),
        'another object': await readFile(path(other)),
        ...Object.fromEntries(
          [0, 4, 6, 22, 30, second, second + 9, good.length - 1].map((at) => [
            `byte ${at}`,
            flipped(good, at),
          ]),
        ),
      };
      for (const [what, bytes] of Object.entries(damaged)) {
        await writeFile(path(part), bytes);
        await assert.rejects(repository.getPart(part), { name: 'DamagedBackup' }, what);
      }
      await writeFile(path(part), good);
      assert.deepEqual(await repository.getPart(part), big);
      await rm(path(part));
      await assert.rejects(repository.getPart(part), /is missing/);
    }
  });

  test('a file with other bytes than its digest is neither stored nor read', async () => {
    const repository = await open(null);
    const file = Buffer.from('right');
    await assert.rejects(repository.putFile(sha256(file), Readable.from([Buffer.from('wrong')]), 5), {
      name: 'DamagedBackup',
    });
    assert.equal(await repository.openFile(sha256(file)), null);
    await repository.putFile(sha256(Buffer.from('wrong')), Buffer.from('wrong'), 5);
    const id = sha256(file);
    const [from, to] = [sha256(Buffer.from('wrong')), id].map((each) => `files/${each.slice(0, 2)}/${each}`);
    await target.put(to ?? '', await readFile(join(root, from ?? '')));
    const opened = await repository.openFile(id);
    assert.ok(opened);
    await assert.rejects(buffer(opened), /has the digest/);
  });

  test('a file that nobody reads is closed', async () => {
    const file = randomBytes(10);
    await (await open()).putFile(sha256(file), file, file.length);
    const stored: Readable[] = [];
    const { get } = target;
    target = { ...target, get: async (name) => keep(await get(name)) };
    const opened = await (await open()).openFile(sha256(file));
    opened?.destroy();
    while (!stored.at(-1)?.closed) await new Promise(setImmediate);

    function keep(content: Readable | null): Readable | null {
      if (content) stored.push(content);
      return content;
    }
  });

  test('pruning deletes what no kept backup needs, when it is older than a day', async () => {
    const [old, kept, young] = [randomBytes(10), randomBytes(11), randomBytes(12)];
    const first = await backUp(await open(), ['old', 'kept'], [old, kept], 0);
    await backUp(await open(), ['kept'], [kept], 1);
    const newest = await backUp(await open(), ['kept', 'new'], [kept], 2);
    for (const name of await names()) await utimes(join(root, name), 0, 0);
    const repository = await open();
    await repository.putPart(Buffer.from('of a backup that is being made'));
    await repository.putFile(sha256(young), young, young.length);

    const pruned = await prune(repository, KEEP, Date.now());
    assert.deepEqual(pruned.backups, [first.name]);
    // The part, the file and the list of files of the first backup.
    assert.equal(pruned.objects, 3);
    assert.deepEqual((await prune(repository, KEEP, Date.now())).objects, 0);
    assert.equal(await repository.openFile(sha256(old)), null);
    for (const file of [kept, young]) {
      const opened = await repository.openFile(sha256(file));
      assert.ok(opened);
      opened.destroy();
    }
    const { database } = newest;
    assert.ok('parts' in database);
    for (const part of database.parts) await repository.getPart(part);
  });

  test('pruning deletes nothing while a backup is damaged, and a new backup goes on', async () => {
    const made = await backUp(await open(), ['part'], [], 0);
    await backUp(await open(), ['part'], [], 9);
    await writeFile(join(root, 'backups', made.name), 'damaged');
    const repository = await open();
    const before = await names();
    await assert.rejects(prune(repository, { ...KEEP, daily: 1 }, Date.now() + 99 * DAY), {
      name: 'DamagedBackup',
    });
    assert.deepEqual(await names(), before);
  });

  test('a backup of a newer version is named, and not misread', async () => {
    const repository = await open();
    const made = await backUp(repository, ['part'], []);
    await repository.putManifest({ ...made, format: 2 } as unknown as Manifest);
    await assert.rejects(repository.manifest(made.name), /newer version of Chancery.*format 2/);
  });

  async function names(): Promise<string[]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
      .toSorted();
  }
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

function sha256(bytes: Buffer): string {
  return hash('sha256', bytes);
}
