import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { HEAD_BYTES, type ListedObject, type OpenedObject, type Storage } from '../src/file/storage.ts';

const MAX = { maxBytes: 10 * 1024 * 1024 };

/** What every kind of storage must do. `open` makes one more client of the same, empty store. */
export function storageConformance(name: string, open: () => Promise<Storage>): void {
  describe(`storage ${name}`, () => {
    test('bytes come back as they were put, whole and in ranges', async () => {
      const storage = await open();
      for (const size of [0, 1, 31, 32, 65_535, 65_536, 300_000, 300_001]) {
        const bytes = randomBytes(size);
        const key = storage.newKey();
        const inMemory = size % 2 === 1;
        const stored = await storage.put(key, inMemory ? bytes : Readable.from(pieces(bytes)), MAX);
        assert.equal(stored.bytes, size);
        assert.equal(stored.sha256, createHash('sha256').update(bytes).digest('hex'));
        assert.deepEqual(Buffer.from(stored.head), bytes.subarray(0, HEAD_BYTES));
        assert.deepEqual(await storage.stat(key), { bytes: size });
        assert.deepEqual(await read(storage, key), bytes);
        if (size < 2) continue;
        for (const [start, end] of [
          [0, 0],
          [1, size - 1],
          [size - 1, size - 1],
        ] as const) {
          assert.deepEqual(await read(storage, key, { start, end }), bytes.subarray(start, end + 1));
        }
      }
    });

    test('an object that has lost bytes fails, and what is left of it can be read', async () => {
      const storage = await open();
      for (const size of [100, 400_000]) {
        const key = storage.newKey();
        const left = randomBytes(size - 50);
        await storage.put(key, Readable.from([left]), MAX);
        for (const range of [
          { start: 0, end: size - 1 },
          { start: size - 60, end: size - 1 },
          { start: size - 10, end: size - 1 },
        ]) {
          await assert.rejects(read(storage, key, range), { name: 'ShortObjectError' });
        }
        assert.deepEqual(await read(storage, key, { start: 0, end: size - 51 }), left);
      }
    });

    test('keys are new each time and cannot be guessed from one another', async () => {
      const storage = await open();
      const keys = new Set(Array.from({ length: 1000 }, () => storage.newKey()));
      assert.equal(keys.size, 1000);
      const directories = new Set([...keys].map((key) => key.slice(0, 2)));
      assert.ok(directories.size > 5, 'objects fill one directory after the other');
    });

    test('a file over the limit is refused and leaves nothing; one at the limit is not', async () => {
      const storage = await open();
      const key = storage.newKey();
      await storage.put(key, Readable.from([randomBytes(1000)]), { maxBytes: 1000 });
      const refused = storage.newKey();
      for (const content of [Readable.from(pieces(randomBytes(1001))), randomBytes(1001)]) {
        await assert.rejects(storage.put(refused, content, { maxBytes: 1000 }), {
          name: 'MaxFileSizeReachedError',
        });
      }
      assert.equal(await storage.stat(refused), null);
      assert.equal(await storage.open(refused), null);
      assert.deepEqual(
        (await all(storage)).filter((object) => object.key.startsWith(refused)),
        [],
      );
    });

    test('a stream that fails rejects with its own error and leaves nothing', async () => {
      const storage = await open();
      const key = storage.newKey();
      const failure = new Error('client went away');
      let sent = 0;
      const stream = new Readable({
        read() {
          sent += 1;
          if (sent < 3) this.push(randomBytes(100_000));
          else setImmediate(() => this.destroy(failure));
        },
      });
      await assert.rejects(storage.put(key, stream, MAX), failure);
      assert.equal(await storage.stat(key), null);
      assert.deepEqual(
        (await all(storage)).filter((object) => object.key.startsWith(key)),
        [],
      );
    });

    test('what is deleted is gone, and deleting again is fine', async () => {
      const storage = await open();
      const key = storage.newKey();
      await storage.put(key, Readable.from([Buffer.from('x')]), MAX);
      await storage.delete(key);
      await storage.delete(key);
      assert.equal(await storage.stat(key), null);
      assert.equal(await storage.open(key), null);
    });

    test('a reader finishes although the object is deleted under it', async () => {
      const storage = await open();
      const key = storage.newKey();
      const bytes = randomBytes(1024 * 1024);
      await storage.put(key, Readable.from([bytes]), MAX);
      const opened = await storage.open(key);
      assert.ok(opened);
      await storage.delete(key);
      assert.deepEqual(await bytesOf(opened), bytes);
    });

    test('the list has every object, and tells this client from others', async () => {
      const mine = await open();
      const theirs = await open();
      const keys = [mine.newKey(), theirs.newKey()] as const;
      await mine.put(keys[0], Readable.from([Buffer.from('a')]), MAX);
      await theirs.put(keys[1], Readable.from([Buffer.from('b')]), MAX);
      const listed = new Map((await all(mine)).map((object) => [object.key, object]));
      assert.equal(listed.get(keys[0])?.ours, true);
      assert.equal(listed.get(keys[1])?.ours, false);
      const age = Date.now() - (listed.get(keys[0])?.modifiedAt ?? 0);
      assert.ok(Math.abs(age) < 60_000, `modified ${age} ms ago`);
    });

    test('the mark is there for every client, is no object, and can be replaced', async () => {
      const storage = await open();
      const objects = (await all(storage)).length;
      assert.equal(await storage.readMark(), null);
      await storage.writeMark('first', { replace: false });
      assert.equal(await (await open()).readMark(), 'first');
      await storage.writeMark('second', { replace: true });
      assert.equal(await storage.readMark(), 'second');
      assert.equal((await all(storage)).length, objects);
    });

    test('an object in quarantine can be opened, returned and deleted only there', async () => {
      const storage = await open();
      const { quarantine } = storage;
      if (!quarantine) return;
      const key = storage.newKey();
      await quarantine.add(key);
      await storage.put(key, Readable.from([Buffer.from('x')]), MAX);
      for (let turn = 0; turn < 2; turn += 1) await quarantine.add(key);
      assert.equal(await storage.open(key), null);
      const opened = await quarantine.open(key, { start: 0, end: 0 });
      assert.deepEqual(opened && (await bytesOf(opened)), Buffer.from('x'));
      assert.ok((await all(storage)).every((object) => object.key !== key));
      assert.deepEqual(await quarantined(storage), [{ key, bytes: 1 }]);
      await quarantine.restore(key);
      assert.deepEqual(await read(storage, key), Buffer.from('x'));
      assert.equal(await quarantine.open(key), null);
      await quarantine.add(key);
      for (let turn = 0; turn < 2; turn += 1) await quarantine.delete(key);
      assert.deepEqual(await quarantined(storage), []);
      assert.equal(await storage.stat(key), null);
    });

    test('many puts at once do not disturb each other', async () => {
      const storage = await open();
      const files = Array.from({ length: 40 }, () => ({ key: storage.newKey(), bytes: randomBytes(50_000) }));
      await Promise.all(files.map(({ key, bytes }) => storage.put(key, Readable.from(pieces(bytes)), MAX)));
      for (const { key, bytes } of files) assert.deepEqual(await read(storage, key), bytes);
    });
  });
}

function* pieces(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += 7919) yield bytes.subarray(at, at + 7919);
}

async function read(storage: Storage, key: string, range?: { start: number; end: number }): Promise<Buffer> {
  const opened = await storage.open(key, range);
  assert.ok(opened);
  return bytesOf(opened);
}

async function bytesOf({ body }: OpenedObject): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : buffer(body);
}

async function quarantined({ quarantine }: Storage): Promise<unknown[]> {
  const objects: unknown[] = [];
  for await (const object of quarantine?.list() ?? []) objects.push(object);
  return objects;
}

async function all(storage: Storage): Promise<ListedObject[]> {
  const objects: ListedObject[] = [];
  for await (const object of storage.list()) objects.push(object);
  return objects;
}
