/** A server on SQLite sends its changes, and the files that they bring, to the place of backups. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
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

async function untilBackedUp(t: TestContext, data: string, place: string): Promise<void> {
  const list = () => chancery(t, ['backup', 'list', '--data', data, '--to', place]).catch(() => '');
  while (!(await list()).includes('Z-')) await sleep(50);
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
    if (text === 'first') await untilBackedUp(t, data, place);
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
  // No backup lists the third file, only the log has brought it.
  const verify = ['backup', 'verify', '--to', place];
  assert.match(await chancery(t, verify), /intact/);
  const id = (await Repository.open(diskTarget(place), { key: null, now: Date.now })).fileId(
    hash('sha256', 'third'),
  );
  await rm(join(place, 'files', id.slice(0, 2), id));
  await assert.rejects(chancery(t, verify), new RegExp(`object files/\\S+${id}: it is missing`));
});

test('a user who was disabled after the restored moment stays off, though no backup is newer', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'chancery-continuous-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [data, place] = [join(root, 'data'), join(root, 'backups')];
  const backup = { ...DEFAULT_CONFIG.backup, to: place };
  const site = await openSite({ ...DEFAULT_CONFIG, apps: [], data, backup });
  await untilBackedUp(t, data, place);
  await chancery(t, ['user', 'create', 'bob@example.com', '--data', data]);
  await sleep(1_500);
  const moment = new Date().toISOString();
  await sleep(50);
  await chancery(t, ['user', 'disable', 'bob@example.com', '--data', data]);
  await site.close();
  const restoring = ['restore', '--from', place, '--at', moment];
  const told = await chancery(t, [...restoring, '--data', join(root, 'restored')]);
  assert.match(told, /Disabled, as in a later backup: bob@example\.com/);
  assert.doesNotMatch(told, /leaves out/);
  assert.match(
    await chancery(t, [...restoring, '--data', join(root, 'tried'), '--dry-run']),
    /Its log leads to /,
  );
});
