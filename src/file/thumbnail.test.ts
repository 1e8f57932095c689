import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '../kernel/limits.ts';
import type { Observation } from '../kernel/observation.ts';
import type { ImageTool } from './image.ts';
import type { Storage } from './storage.ts';
import type { StoredFile } from './stored-file.ts';
import { Thumbnails } from './thumbnail.ts';
import { ThumbnailCache } from './thumbnail-cache.ts';

/** Looks whole: says its own length where WebP does. */
function webp(bytes: number): Buffer {
  const content = Buffer.alloc(bytes, 1);
  content.writeUInt32LE(bytes - 8, 4);
  return content;
}

const name = (digit: string) => `${digit.repeat(64)}-64x0-contain.webp`;

async function inDirectory(run: (root: string, observed: Observation[]) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'thumbnails-'));
  const observed: Observation[] = [];
  try {
    await run(join(root, 'thumbnails'), observed);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test('the cache keeps its size across starts, evicting the oldest first', async () => {
  await inDirectory(async (root) => {
    const cache = new ThumbnailCache(root, 300, () => undefined);
    for (const digit of ['a', 'b', 'c', 'd']) await cache.put(name(digit), webp(100));
    assert.deepEqual((await readdir(root)).sort(), [name('b'), name('c'), name('d')]);
    assert.equal(await cache.get(name('a')), null);
    assert.deepEqual(await cache.get(name('b')), webp(100));
    await cache.put(name('e'), webp(301));
    assert.equal(await cache.get(name('e')), null);
    const later = new ThumbnailCache(root, 250, () => undefined);
    assert.deepEqual(await later.get(name('d')), webp(100));
    assert.equal((await readdir(root)).length, 2);
  });
});

test('outdated, truncated and foreign entries are not used', async () => {
  await inDirectory(async (root) => {
    const cache = new ThumbnailCache(root, 1_000, () => undefined);
    await cache.put(name('a'), webp(100));
    await cache.put(name('b'), webp(100));
    await truncate(join(root, name('b')), 50);
    assert.equal(await cache.get(name('b')), null);
    const long = new Date(Date.now() - LIMITS.thumbnailAge - 60_000);
    await utimes(join(root, name('a')), long, long);
    await writeFile(join(root, 'notes.txt'), 'kept');
    const later = new ThumbnailCache(root, 1_000, () => undefined);
    // Its size is what a crash left, but its own header knows better.
    assert.equal(await later.get(name('b')), null);
    assert.equal(await later.get(name('a')), null);
    assert.deepEqual((await readdir(root)).sort(), [name('b'), 'notes.txt'].sort());
  });
});

test('old entries are deleted even without requests', async (t) => {
  await inDirectory(async (root) => {
    const cache = new ThumbnailCache(root, 1_000, () => undefined);
    await cache.put(name('a'), webp(100));
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + LIMITS.thumbnailAge - 60_000 });
    await cache.put(name('b'), webp(100));
    await cache.prune();
    assert.deepEqual((await readdir(root)).sort(), [name('a'), name('b')]);
    t.mock.timers.setTime(Date.now() + 120_000);
    await cache.prune();
    assert.deepEqual(await readdir(root), [name('b')]);
  });
});

test('a request succeeds when the cache cannot be written', async () => {
  await inDirectory(async (root, observed) => {
    await writeFile(root, 'in the way');
    const cache = new ThumbnailCache(root, 1_000, (observation) => observed.push(observation));
    await cache.put(name('a'), webp(100));
    assert.equal(observed.length, 1);
    assert.equal(await cache.get(name('a')), null);
  });
});

test('without the library there is no thumbnail, and an aborted wait leaves nothing behind', async () => {
  await inDirectory(async (root) => {
    const file: StoredFile = {
      fileUrl: '/files/a.png',
      storageKey: 'k',
      fileName: 'a.png',
      imageType: 'image/png',
      sha256: 'abc',
      bytes: 100,
      isPrivate: false,
      createdAt: '2026-11-21 10:00:00.500000',
    };
    const size = { width: 64, height: 0, fit: 'contain' } as const;
    const cache = new ThumbnailCache(root, 1_000, () => undefined);
    const storage = { open: async () => ({ bytes: 3, body: Buffer.from('abc') }) } as unknown as Storage;
    const without = new Thumbnails(storage, cache, async () => null);
    assert.equal(await without.get(file, size, () => assert.fail('nothing to do')), null);

    let made = 0;
    const resize = async () => {
      made += 1;
      return { content: webp(20), type: 'image/webp', width: 1, height: 1 };
    };
    const tool = { resize } as unknown as ImageTool;
    const thumbnails = new Thumbnails(storage, cache, async () => tool);
    const busy = () => Promise.reject(new Error('busy'));
    await assert.rejects(thumbnails.get(file, size, busy), /busy/);
    let ended = 0;
    const turn = async () => () => {
      ended += 1;
    };
    const all = [1, 2, 3].map(() => thumbnails.get(file, size, turn));
    assert.deepEqual(await Promise.all(all), [webp(20), webp(20), webp(20)]);
    assert.deepEqual([made, ended], [1, 1]);
    assert.deepEqual(await thumbnails.get(file, size, turn), webp(20));
    assert.deepEqual([made, ended], [1, 1]);
  });
});
