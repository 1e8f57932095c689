/** What the command line and a start do to a site is in the audit log, as theirs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import type { Patch } from '../../src/site/app.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { engineOf } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { spawnChancery } from '../support/server-process.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-audit-'));
after(() => rmSync(root, { recursive: true, force: true }));

for (const engine of engineOf('audit of tools')) {
  test(`${engine}: the audit log names migrations, patches and commands`, async () => {
    const fresh = engine === 'postgres' ? await freshDatabaseUrl('postgres') : null;
    const data = mkdtempSync(join(root, 'data-'));
    const config = { ...DEFAULT_CONFIG, data, database: fresh?.url ?? null, apps: [] };
    const open = async (patches: readonly Patch[] = []) => {
      const site = await openSite(config, { apps: [{ name: 'shop', patches }] });
      const rows = await site.database.reader.all(
        sql`select "event", "user", "credential", "reference_name", "details" from "_audit" order by "creation"`,
      );
      await site.close();
      // Until somebody has signed in, each start makes the first key anew.
      const isFirst = rows.length === 1;
      const told = rows.filter(({ event }) => isFirst || !/^key_/.test(String(event)));
      return told.map((row) => Object.values(row).slice(0, 4).join(' | '));
    };
    const env = fresh ? { CHANCERY_DATABASE: fresh.url } : {};
    const command = async (...words: string[]) => {
      const run = await spawnChancery([...words, '--data', data], { env }).finished;
      assert.equal(run.code, 0, run.stderr);
    };

    assert.deepEqual(
      (await open()).map((line) => line.replace(/[0-9a-f]{15}$/, 'key')),
      ['key_created | Administrator | system | key'],
    );
    const started = await open([{ name: 'P1', run: async () => {} }]);
    assert.deepEqual(started, ['patch_applied | Administrator | system | shop.P1']);
    await command('user', 'create', 'ann@example.com');
    await command('migrate', '--allow-data-loss');
    const [, ...typed] = await open();
    assert.deepEqual(typed, [
      'user_created | Administrator | command line | ann@example.com',
      'site_migrated | Administrator | command line | ',
    ]);
    await fresh?.drop();
  });
}
