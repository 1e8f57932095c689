/** A migration of a large table tells what it does, how far it is, and how long it still takes. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Observation } from '../../src/kernel/observation.ts';
import { loadApp } from '../../src/site/schema/apps/load-app.ts';
import { planSite } from '../../src/site/schema/migration/plan-site.ts';
import { tellProgress } from '../../src/site/schema/migration/tell-progress.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { writeApp } from '../support/app-folder.ts';
import { chancery, flagsOf } from '../support/command.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';

describeEitherEngine('the progress of a migration', (engine) => {
  const root = mkdtempSync(join(tmpdir(), 'chancery-progress-'));
  let place: { url: string; drop(): Promise<void> };
  before(async () => {
    place = await freshDatabaseUrl(engine);
  });
  after(async () => {
    await place.drop();
    rmSync(root, { recursive: true, force: true });
  });

  const appWith = (...fields: object[]) =>
    writeApp(join(root, `app-${fields.length}`), 'music', [{ name: 'Song', module: 'Music', fields }]);

  test('a rewritten table and its new index are told with their rows before they begin', async () => {
    const config = { ...DEFAULT_CONFIG, data: join(root, 'data'), database: place.url };
    const app = await loadApp(appWith({ fieldname: 'length', fieldtype: 'Int' }), root);
    const site = await openSite(config, { apps: [app] });
    await site.database.transaction((db) =>
      db.run(sql`with recursive "n" ("i") as
          (select 1 union all select "i" + 1 from "n" where "i" < ${LIMITS.migrationTold})
          insert into "Song" ("name", "length") select 'song-' || "i", "i" from "n"`),
    );
    await site.close();
    const planned = await loadApp(appWith({ fieldname: 'length', fieldtype: 'Data' }), root);
    const { queryTimeout } = LIMITS;
    try {
      // A count that takes longer than a read of a server may.
      Object.assign(LIMITS, { queryTimeout: 1 });
      const { tables } = await planSite(config, [planned]);
      assert.deepEqual(
        tables.map(({ doctype, rows }) => [doctype, rows]),
        [['Song', LIMITS.migrationTold]],
      );
    } finally {
      Object.assign(LIMITS, { queryTimeout });
    }
    const fields = [
      { fieldname: 'length', fieldtype: 'Data', search_index: 1 },
      { fieldname: 'note', fieldtype: 'Data' },
    ];
    const { code, stdout, stderr } = await chancery(root, ['migrate', ...flagsOf(config)], {
      apps: [appWith(...fields)],
    });
    assert.equal(code, 0, stderr);
    const told = stdout.split('\n').filter((line) => line.startsWith('Song: 10,000 rows'));
    assert.deepEqual(
      told.map((line) => line.replace(/about \d+ (second|minute)s? /, '')),
      ['Song: 10,000 rows, step 1 of 1, left', 'Song: 10,000 rows, step 1 of 1, left'],
      stdout,
    );
  });
});

test('parts of the work follow in their order, each with what is left', () => {
  const observed: Observation[] = [];
  const work = [
    { table: 'A', rows: 10_000, seconds: 1 },
    { table: 'B', rows: 20_000, seconds: 2 },
    { table: 'B', rows: 20_000, seconds: 3 },
  ];
  const tell = tellProgress(work, (observation) => observed.push(observation));
  for (const table of ['A', 'Small', 'B', 'B', 'B']) tell(table);
  assert.deepEqual(
    observed.map((each) =>
      each.kind === 'migrating' ? [each.table, each.rows, each.step, each.steps] : null,
    ),
    [
      ['A', 10_000, 1, 3],
      ['B', 20_000, 2, 3],
      ['B', 20_000, 3, 3],
    ],
  );
  assert.ok(observed[0]?.kind === 'migrating' && observed[0].secondsLeft === 6);
});
