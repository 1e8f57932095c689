/** Backups that a server makes by itself. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { run } from '../../src/cli/cli.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { opened, servedText, storeText } from '../support/kept-files.ts';
import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';

const undos: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const undo of undos.reverse()) await undo();
});

describeEitherEngine('backups by the server', (engine) => {
  async function openWith(backup: object): Promise<{ site: OpenSite; root: string; config: Config }> {
    const data = await mkdtemp(join(tmpdir(), 'chancery-backup-'));
    undos.push(() => rm(data, { recursive: true, force: true }));
    const database = await siteDatabase(engine, data);
    undos.push(() => database.drop());
    const root = `${data}-backups`;
    undos.push(() => rm(root, { recursive: true, force: true }));
    const config = {
      ...{ ...DEFAULT_CONFIG, apps: [], data, database: database.url },
      backup: { ...DEFAULT_CONFIG.backup, to: root, ...backup },
    };
    const site = await openSite(config, { apps: [] });
    undos.push(() => site.close());
    return { site, root, config };
  }

  const openRepository = (root: string) => Repository.open(diskTarget(root), { key: null, now: Date.now });

  const runsOf = ({ database }: OpenSite) =>
    database.reader.all(sql`select * from "Backup Run" order by "creation"`);

  test('a backup is made at once when it is asked for, recorded, and old ones are deleted', async () => {
    const { site, root } = await openWith({ hourly: 0, daily: 1, weekly: 0, monthly: 0, logDays: 0 });
    await storeText(site, 'first');
    site.jobs.ask('make_backup');
    await until(async () => (await runsOf(site)).length > 0);
    const before = (await runsOf(site)).length;
    await storeText(site, 'second');
    site.jobs.ask('make_backup');
    await until(async () => (await runsOf(site)).length > before);
    const runs = await runsOf(site);
    for (const run of runs)
      assert.deepEqual([run['kind'], run['status'], run['problems'] ?? ''], ['Backup', 'Succeeded', '']);
    assert.equal(Number(runs.at(-1)?.['files']), 2);
    assert.equal(Number(runs.at(-1)?.['bytes']), 11);
    const repository = await openRepository(root);
    assert.equal((await repository.names()).at(-1), runs.at(-1)?.['backup']);
    const file = await repository.openFile(hash('sha256', 'second'));
    assert.equal(file && (await text(file)), 'second');
  });

  test('the last change before a stop is restored, on SQLite', { skip: engine !== 'sqlite' }, async () => {
    const { site, root, config } = await openWith({});
    site.jobs.ask('make_backup');
    await until(async () => (await runsOf(site)).length > 0);
    const file = await storeText(site, 'after the backup');
    await site.close();
    const restored = { ...config, data: join(config.data, 'restored'), backup: DEFAULT_CONFIG.backup };
    const quiet = { write: () => {} };
    const call = ['restore', '--data', restored.data, '--from', root];
    assert.equal(await run(call, { stdout: quiet, stderr: process.stderr }), 0);
    await copyFile(join(config.data, 'secret.key'), join(restored.data, 'secret.key'));
    await opened(restored, async (again) => {
      assert.equal(await servedText(again, file.file_url), 'after the backup');
    });
  });

  test('a place that is not usable is recorded, and the server goes on', async () => {
    const data = await mkdtemp(join(tmpdir(), 'chancery-backup-'));
    undos.push(() => rm(data, { recursive: true, force: true }));
    await writeFile(join(data, 'file'), '');
    const { site } = await openWith({ to: join(data, 'file') });
    site.jobs.ask('make_backup');
    await until(async () => (await runsOf(site)).length > 0);
    const [run] = await runsOf(site);
    assert.equal(run?.['status'], 'Failed');
    assert.match(String(run?.['problems']), /not a directory/);
    await storeText(site, 'goes on');
  });
});
