/** A server on SQLite sends its changes, and the files that they bring, to the place of backups. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { run } from '../../src/cli/cli.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { servedText, storeText } from '../support/kept-files.ts';

async function chancery(t: TestContext, words: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-config-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'config.json');
  await writeFile(file, JSON.stringify({ apps: [] }));
  let output = '';
  const stream = { write: (text: string) => (output += text) };
  const code = await run([...words, '--config', file], { stdout: stream, stderr: stream });
  assert.equal(code, 0, output);
  return output;
}

test('the last change before a stop is restored with its file, past a later backup of the command line', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'chancery-continuous-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [data, place, restored] = ['data', 'backups', 'restored'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const config = { ...DEFAULT_CONFIG, apps: [], data, backup: { ...DEFAULT_CONFIG.backup, to: place } };
  const site = await openSite(config);
  const urls: string[] = [];
  for (const text of ['first', 'second', 'third']) {
    urls.push(String((await storeText(site, text)).file_url));
    if (text === 'first') {
      while (
        !(await chancery(t, ['backup', 'list', '--data', data, '--to', place]).catch(() => '')).includes('Z-')
      ) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    if (text === 'second') await chancery(t, ['backup', '--data', data, '--to', place]);
  }
  await site.close();
  await chancery(t, ['restore', '--data', restored, '--from', place]);
  await copyFile(join(data, 'secret.key'), join(restored, 'secret.key'));
  const back = await openSite({ ...DEFAULT_CONFIG, apps: [], data: restored });
  try {
    for (const [index, text] of ['first', 'second', 'third'].entries()) {
      assert.equal(await servedText(back, urls[index] ?? ''), text);
    }
  } finally {
    await back.close();
  }
});
