import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { storageConformance } from '../../test/storage-conformance.ts';
import { diskStorage } from './disk-storage.ts';

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'chancery-disk-'));
});
after(() => rm(root, { recursive: true, force: true }));

storageConformance('on disk', async () => diskStorage(join(root, 'files')));

describe('disk storage', () => {
  test('one of several concurrent first marks is written completely', async () => {
    const storage = diskStorage(join(root, 'marked'));
    const texts = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(1_000));
    await Promise.all(texts.map((text) => storage.writeMark(text, { replace: false })));
    const first = await storage.readMark();
    assert.ok(texts.includes(first ?? ''));
    await storage.writeMark('late', { replace: false });
    assert.equal(await storage.readMark(), first);
    assert.equal((await readdir(join(root, 'marked'))).length, 1);
  });

  test('a key never leads out of the root', async () => {
    const storage = diskStorage(join(root, 'files'));
    for (const key of [
      '../secret',
      '/etc/passwd',
      '',
      'a/b/c',
      `${storage.newKey()}/../../../x`,
      'aa/bb/..',
    ]) {
      await assert.rejects(storage.open(key), /not a storage key/, key);
      await assert.rejects(storage.put(key, Readable.from([]), { maxBytes: 1 }), /not a storage key/, key);
      await assert.rejects(async () => storage.delete(key), /not a storage key/, key);
    }
  });

  test('a planted symbolic link is not followed', async () => {
    const storage = diskStorage(join(root, 'links'));
    const secret = join(root, 'secret');
    await writeFile(secret, 'secret');
    const key = storage.newKey();
    const path = join(root, 'links', key);
    await mkdir(dirname(path), { recursive: true });
    await symlink(secret, path);
    await assert.rejects(storage.open(key));
  });

  test('files and directories are for this user only', async () => {
    const storage = diskStorage(join(root, 'modes'));
    const key = storage.newKey();
    await storage.put(key, Readable.from([Buffer.from('x')]), { maxBytes: 1 });
    assert.equal((await stat(join(root, 'modes', key))).mode & 0o777, 0o600);
    for (const directory of [dirname(key), dirname(dirname(key))]) {
      assert.equal((await stat(join(root, 'modes', directory))).mode & 0o777, 0o700);
    }
  });

  test('missing directories are created again', async () => {
    const storage = diskStorage(join(root, 'vanish'), {
      hash: () => '',
      fraction: () => 0,
      bytes: (length) => Buffer.alloc(length, 7),
    });
    const key = storage.newKey();
    await storage.put(key, Readable.from([Buffer.from('x')]), { maxBytes: 1 });
    await rm(join(root, 'vanish'), { recursive: true });
    await assert.rejects(storage.put(key, Readable.from([Buffer.from('x')]), { maxBytes: 1 }), /ENOENT/);
    await storage.put(key, Readable.from([Buffer.from('x')]), { maxBytes: 1 });
    assert.deepEqual(await storage.stat(key), { bytes: 1 });
  });

  test('an interrupted put is listed, so that it can be collected', async () => {
    const storage = diskStorage(join(root, 'interrupted'));
    const key = storage.newKey();
    const path = join(root, 'interrupted', key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.part`, 'half');
    const found: string[] = [];
    for await (const object of storage.list()) found.push(object.key);
    assert.deepEqual(found, [`${key}.part`]);
    await storage.delete(`${key}.part`);
    assert.deepEqual(await readdir(dirname(path)), []);
  });
});
