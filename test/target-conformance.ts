import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { Repository } from '../src/backup/store/repository.ts';
import type { Target } from '../src/backup/store/target.ts';

/** What every place of backups must do. `open` makes one more client of the same, empty store. */
export function targetConformance(name: string, open: () => Promise<Target>): void {
  describe(`backups ${name}`, () => {
    test('bytes come back as they were put, from memory and from streams', async () => {
      const target = await open();
      for (const size of [0, 1, 300_000, 9_000_000]) {
        const bytes = randomBytes(size);
        for (const content of [bytes, Readable.from(piecesOf(bytes))]) {
          await target.put(`bytes/${size}`, content, size);
          assert.deepEqual(await read(target, `bytes/${size}`), bytes);
          assert.equal((await target.stat(`bytes/${size}`))?.bytes, size);
        }
      }
    });

    test('a list has the names below a prefix in their order, with sizes', async () => {
      const target = await open();
      for (const name of ['list/b/2', 'list/a/10', 'list/a/09', 'other/x'])
        await target.put(name, Buffer.from(name));
      const found: [string, number][] = [];
      for await (const { name, bytes, modifiedAt } of target.list('list/')) {
        found.push([name, bytes]);
        assert.ok(Math.abs(modifiedAt - Date.now()) < 24 * 60 * 60_000, String(modifiedAt));
      }
      assert.deepEqual(found, [
        ['list/a/09', 9],
        ['list/a/10', 9],
        ['list/b/2', 8],
      ]);
    });

    test('what is not there is null, is in no list, and can be deleted', async () => {
      const target = await open();
      await target.put('gone/1', Buffer.from('x'));
      for (const name of ['gone/1', 'gone/1', 'gone/2']) await target.delete(name);
      assert.equal(await target.get('gone/1'), null);
      assert.equal(await target.stat('gone/1'), null);
      for await (const { name } of target.list('gone/')) assert.fail(name);
    });

    test('a stream that fails leaves nothing behind, and the earlier object in its place', async () => {
      const target = await open();
      await target.put('torn/old', Buffer.from('old'));
      async function* torn() {
        yield Buffer.alloc(6_000_000);
        throw new Error('torn');
      }
      for (const name of ['torn/old', 'torn/new']) {
        await assert.rejects(target.put(name, Readable.from(torn())), { message: 'torn' });
      }
      assert.equal((await read(target, 'torn/old')).toString(), 'old');
      assert.equal(await target.stat('torn/new'), null);
      for await (const { name } of target.list('tmp/')) assert.fail(name);
    });

    test('names cannot leave the place', async () => {
      const target = await open();
      for (const name of ['../x', 'a/../b', '/x', '', 'a//b', 'a/']) {
        await assert.rejects(async () => target.put(name, Buffer.from('x')), /not a name/);
      }
    });

    test('a repository keeps parts, files, log and backups', async () => {
      const target = await open();
      const options = { key: randomBytes(32), site: 'site-1', now: Date.now };
      for await (const { name } of target.list('')) await target.delete(name);
      const writer = await Repository.open(target, options);
      const part = await writer.putPart(Buffer.from('part'));
      await writer.putLog('e1', 7, Buffer.from('segment'));
      const reader = await Repository.open(await open(), { key: options.key, now: Date.now });
      assert.equal(reader.site, 'site-1');
      assert.equal((await reader.getPart(part)).toString(), 'part');
      for await (const { sequence, read } of reader.logs('e1', 6)) {
        assert.deepEqual([sequence, (await read()).toString()], [7, 'segment']);
      }
    });
  });
}

async function read(target: Target, name: string): Promise<Buffer> {
  const stream = await target.get(name);
  assert.ok(stream, name);
  return buffer(stream);
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000);
}
