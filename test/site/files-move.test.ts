import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { copyFiles } from '../../src/file/copy-files.ts';
import { diskStorage } from '../../src/file/disk-storage.ts';
import { findStoredFile } from '../../src/file/stored-file.ts';
import { engineOf } from '../support/describe-site.ts';
import { startFileSite } from '../support/files.ts';

for (const engine of engineOf('moved files')) {
  test(`stored files are copied to another place under their keys, once, on ${engine}`, async () => {
    const on = await startFileSite(engine);
    const root = await mkdtemp(join(tmpdir(), 'chancery-move-'));
    try {
      const { reader } = on.site.database;
      const from = on.site.storage;
      const to = diskStorage(join(root, 'new'));
      for (let count = 0; count < 120; count += 1) await on.stored(`${count}.txt`, `text ${count}`);
      const first = await copyFiles(reader, { from, to });
      assert.deepEqual([first.copied, first.already, first.problems], [120, 0, []]);
      assert.equal(await on.keys(), 120);

      // A run that was stopped in the middle of a file, and an object that came meanwhile.
      const later = await on.stored('later.txt', 'later');
      const row = await keyOf(later.file_url);
      const part = join(root, 'new', `${row}.part`);
      await mkdir(dirname(part), { recursive: true });
      await writeFile(part, 'la');
      const second = await copyFiles(reader, { from, to });
      assert.deepEqual([second.copied, second.bytes, second.already, second.problems], [1, 5, 120, []]);
      assert.equal(await readFile(join(root, 'new', row), 'utf8'), 'later');
    } finally {
      await on.stop();
      await rm(root, { recursive: true, force: true });
    }

    async function keyOf(url: string): Promise<string> {
      const stored = await findStoredFile(on.site.database.reader, url);
      return stored?.storageKey ?? '';
    }
  });
}

test('lost or damaged files are reported, not copied; a place of another site is refused', async () => {
  const on = await startFileSite('sqlite');
  const root = await mkdtemp(join(tmpdir(), 'chancery-move-'));
  try {
    const { database, storage: from, config } = on.site;
    for (const text of ['good', 'lost', 'same length', 'longer']) await on.stored(`${text}.txt`, text);
    const keys = new Map<string, string>();
    for await (const { key } of from.list()) {
      keys.set(await readFile(join(config.data, 'files', key), 'utf8'), key);
    }
    const at = (text: string) => join(config.data, 'files', keys.get(text) ?? '');
    await rm(at('lost'));
    await writeFile(at('same length'), 'SAME LENGTH');
    await writeFile(at('longer'), 'longer than it was');
    const to = diskStorage(join(root, 'new'));
    const { copied, problems } = await copyFiles(database.reader, { from, to });
    assert.equal(copied, 1);
    assert.deepEqual(
      problems.toSorted(),
      [
        `${keys.get('lost')}: there is no such object`,
        `${keys.get('longer')}: the bytes differ from the stored ones`,
        `${keys.get('same length')}: the bytes differ from the stored ones`,
      ].sort(),
    );
    const there: string[] = [];
    for await (const { key } of to.list()) there.push(key);
    assert.deepEqual(there, [keys.get('good')]);

    const others = diskStorage(join(root, 'others'));
    await others.put(others.newKey(), Readable.from([Buffer.from('x')]), { maxBytes: 1 });
    await assert.rejects(copyFiles(database.reader, { from, to: others }), /another site/);
  } finally {
    await on.end();
    await rm(root, { recursive: true, force: true });
  }
});
