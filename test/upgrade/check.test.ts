/** `chancery upgrade --check` tells what the first start of this version would do, and changes nothing. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { examineUpgrade, type UpgradeOptions } from '../../src/site/doctor/examine-upgrade.ts';
import type { Finding } from '../../src/site/doctor/finding.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { chancery, flagsOf } from '../support/command.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { onDatabase } from '../support/restored-site.ts';
import type { TestSite } from '../support/site.ts';
import { listFixtures } from './fixture.ts';
import { contentOf, type Placed, placeFixture } from './placed.ts';

const fixtures = await listFixtures();
const OLDER =
  'The data is that of an older version. Run this command with that version, or start this version once.';

describeEitherEngine('a check before an upgrade', (engine) => {
  const [oldest] = fixtures.filter((fixture) => fixture.engine === engine);
  let root: string;
  let placed: Placed;
  let config: Config;
  let site: TestSite | null = null;

  before(async () => {
    assert.ok(oldest);
    root = await mkdtemp(join(tmpdir(), 'chancery-check-'));
    placed = await placeFixture(oldest);
    config = { ...DEFAULT_CONFIG, apps: [], data: placed.data, database: placed.url };
  });
  after(async () => {
    await site?.stop();
    await placed.remove();
    await rm(root, { recursive: true, force: true });
  });

  const check = (words: readonly string[] = []) =>
    chancery(root, ['upgrade', '--check', ...flagsOf(config), ...words]);

  async function findingOf(wanted: Finding['check'], options: Partial<UpgradeOptions> = {}) {
    const report = await examineUpgrade(config, { backups: null, ownBackup: true, warnings: [], ...options });
    const found = report.findings.filter(({ check }) => check === wanted);
    assert.equal(found.length, 1, JSON.stringify(report.findings));
    return { state: found[0]?.state, message: String(found[0]?.message), ready: report.ready };
  }

  test('data of the oldest format: the changes are listed, and nothing is changed', async () => {
    const before = await contentOf(placed);
    const bytes = engine === 'sqlite' ? await readFile(join(placed.data, 'chancery.db')) : null;
    const told = await check();
    assert.equal(told.code, 1, told.stderr);
    for (const line of [
      /^ok +versions .* installed, and a version that did not note its number .*: step 3 of \d+ /m,
      /^problem +backup +No place of backups is known\n +-> chancery backup, of the version that runs now, makes one/m,
      /^ok +changes .*: steps of the system tables: \d+, tables of doctypes: \d+$/m,
      /^ok +duration +An estimate: about \d+ seconds/m,
      /^System tables: the change feed$/m,
      /^Document Follow: new table$/m,
      /^Not ready: /m,
    ])
      assert.match(told.stdout, line);
    const json = await check(['--own-backup', '--json']);
    assert.equal(json.code, 0, json.stdout);
    const { ready, plan } = JSON.parse(json.stdout);
    assert.equal(ready, true);
    assert.equal(plan.systemSteps.length, SYSTEM_STEPS.length - 3);
    assert.deepEqual(await contentOf(placed), before);
    if (bytes) assert.ok(bytes.equals(await readFile(join(placed.data, 'chancery.db'))), 'the same bytes');
    const backup = await chancery(root, ['backup', ...flagsOf(config), '--to', join(root, 'early')]);
    assert.deepEqual(
      [backup.code, backup.stderr],
      [1, `${OLDER}\n`],
      'a command of this version on that data',
    );
  });

  test('beside the running server: a new backup, and one that is too old', async () => {
    site = await placed.start();
    const backups = join(root, 'backups');
    const nowhere = await findingOf('backup', { backups: { kind: 'disk', root: join(root, 'none') } });
    assert.deepEqual([nowhere.state, nowhere.ready], ['problem', false], nowhere.message);
    const made = await chancery(root, ['backup', ...flagsOf(config), '--to', backups]);
    assert.equal(made.code, 0, made.stderr);
    const told = await check(['--to', backups]);
    assert.equal(told.code, 0, told.stdout);
    assert.match(told.stdout, /^advice +backup .* Nobody has rehearsed its restore$/m);
    assert.match(told.stdout, /^ok +changes +The tables match this version$/m);
    assert.match(told.stdout, /^Ready for the first start/m);
    assert.equal(
      /^ok +servers +Running servers go on while they are replaced/m.test(told.stdout),
      engine === 'postgres',
    );
    const clock = systemClock();
    const later = { micros: () => clock.micros() + (LIMITS.backupBeforeUpgrade + 60_000) * 1_000 };
    const old = await findingOf('backup', { backups: { kind: 'disk', root: backups }, clock: later });
    assert.deepEqual([old.state, old.ready], ['problem', false]);
    assert.match(old.message, /leads to a state of about 24 hours ago/);
    const rehearsed = await chancery(root, ['backup', 'rehearse', ...flagsOf(config), '--to', backups]);
    assert.equal(rehearsed.code, 0, rehearsed.stderr);
    assert.match((await check(['--to', backups])).stdout, /^ok +backup .* Its restore was rehearsed$/m);
    await onDatabase(placed, (database) =>
      database.transaction((db) =>
        db.run(sql`update "_setting" set "value" = 'another' where "key" = 'site_id'`),
      ),
    );
    const foreign = await findingOf('backup', { backups: { kind: 'disk', root: backups } });
    assert.deepEqual([foreign.state, foreign.message], ['problem', 'The backups are of another site']);
  });

  test('a setting that this version does not know is named', async () => {
    const found = await findingOf('settings', {
      warnings: ['CHANCERY_OLD is not a setting and was ignored'],
    });
    assert.deepEqual(
      [found.state, found.message],
      ['advice', 'CHANCERY_OLD is not a setting and was ignored'],
    );
  });

  test('data of a newer version is a problem', async () => {
    await onDatabase(placed, (database) =>
      database.transaction((db) =>
        db.run(sql`insert into "_migration" ("id", "name") values (999, 'later')`),
      ),
    );
    const { state, message } = await findingOf('versions');
    assert.equal(state, 'problem');
    assert.match(message, /made by a newer version: its tables are at step 999/);
  });

  test('without a site there is nothing to check', async () => {
    const told = await chancery(root, ['upgrade', '--check', '--data', join(root, 'none')]);
    assert.equal(told.code, 1);
    assert.match(told.stderr, /There is no site in .* Is --data right\?/);
  });
});
