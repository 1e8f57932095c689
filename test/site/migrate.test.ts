/** `chancery migrate`: what it would do, what it does, and what only --allow-data-loss does. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { renderPlan } from '../../src/cli/render-plan.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { applyChanges } from '../../src/db/apply-changes.ts';
import { describeTable } from '../../src/db/describe.ts';
import type { ColumnSpec } from '../../src/db/dialect.ts';
import { sql } from '../../src/db/sql.ts';
import { tableOf } from '../../src/doctype/schema-plan.ts';
import { readContext } from '../../src/document/context.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import type { App } from '../../src/site/app.ts';
import { loadApp } from '../../src/site/schema/apps/load-app.ts';
import { planSite } from '../../src/site/schema/migration/plan-site.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { writeApp } from '../support/app-folder.ts';
import { engineOf } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { spawnChancery } from '../support/server-process.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-migrate-'));
after(() => rmSync(root, { recursive: true, force: true }));

const PERMISSIONS = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const song = (...fields: object[]) => ({ name: 'Song', module: 'Music', fields, permissions: PERMISSIONS });
const field = (fieldname: string, fieldtype: string, more: object = {}) => ({
  fieldname,
  fieldtype,
  ...more,
});

let folders = 0;
function appWith(...definitions: object[]): Promise<App> {
  folders += 1;
  return loadApp(writeApp(join(root, `app-${folders}`), 'music', definitions), root);
}

for (const engine of engineOf('migrations')) {
  describe(`migrations on ${engine}`, async () => {
    const databases: (() => Promise<void>)[] = [];
    after(async () => {
      for (const drop of databases) await drop();
    });

    async function freshConfig(): Promise<Config> {
      const { url, drop } = await freshDatabaseUrl(engine);
      databases.push(drop);
      const secretKey = Buffer.alloc(32, 7).toString('base64');
      return { ...DEFAULT_CONFIG, data: mkdtempSync(join(root, 'data-')), database: url, secretKey };
    }

    async function makeSongs(config: Config, app: App, songs: readonly object[]): Promise<string[]> {
      const site = await openSite(config, { apps: [app] });
      const docs = await unitOfWork(site, ADMINISTRATOR, async (ctx) => {
        const made = [];
        for (const fields of songs) made.push(await createDocument(ctx, 'Song', { ...fields }));
        return made;
      });
      await site.close();
      return docs.map(({ name }) => name);
    }

    async function within<T>(config: Config, apps: App[], work: (site: OpenSite) => Promise<T>): Promise<T> {
      const site = await openSite(config, { apps });
      try {
        return await work(site);
      } finally {
        await site.close();
      }
    }

    const read = (site: OpenSite, name: string) =>
      readDocument(readContext(site, ADMINISTRATOR), 'Song', name);

    test('a plan shows everything and changes nothing', async () => {
      const config = await freshConfig();
      const first = await appWith(song(field('title', 'Data'), field('length', 'Int')));
      const fresh = await planSite(config, [first]);
      assert.equal(fresh.isNew, true);
      assert.ok(renderPlan(fresh).includes('Song: new table'), renderPlan(fresh).join('\n'));
      const [name = ''] = await makeSongs(config, first, [{ title: 'One', length: 3 }]);
      assert.deepEqual(renderPlan(await planSite(config, [first])), ['Everything is up to date.']);

      const second = await appWith(
        song(field('title', 'Data', { search_index: 1 }), field('length', 'Float'), field('mood', 'Select')),
        { ...song(field('x', 'Int')), name: 'Singer' },
      );
      const lines = renderPlan(await planSite(config, [second])).join('\n');
      assert.match(lines, /^Singer: new table$/m);
      assert.match(lines, /^Song \(1 row\)$/m);
      assert.match(lines, /^ {2}add column mood \(text\)$/m);
      assert.match(lines, /^ {2}change column length from integer to real: rewrites 1 row$/m);
      assert.match(lines, /^ {2}create index on title, name$/m);
      assert.ok(!lines.includes('--allow-data-loss'), lines);
      await within(config, [first], async (site) => {
        assert.equal((await read(site, name))['length'], 3);
        assert.equal(await describeTable(site.database.reader, 'Singer'), null);
      });
      await within(config, [second], async (site) => {
        assert.equal((await read(site, name))['length'], 3);
        const table = await describeTable(site.database.reader, 'Song');
        assert.ok(table?.indexes.some(({ columns }) => columns[0] === 'title'));
      });
      assert.deepEqual(renderPlan(await planSite(config, [second])), ['Everything is up to date.']);
    });

    test('a plan of a site from before lists the fields that were only rules of forms', async () => {
      const config = await freshConfig();
      const definition = song(
        field('title', 'Data', { read_only: 1 }),
        field('length', 'Int', { read_only: 1, enforce_on_server: 1 }),
        field('mood', 'Data', { mandatory_depends_on: 'title', read_only_depends_on: 'title' }),
      );
      // `amended_from`, which it then has, is read-only and stays protected.
      const app = await appWith({ ...definition, is_submittable: 1 });
      await makeSongs(config, app, []);
      const notes = async () => (await planSite(config, [app])).notes;
      assert.deepEqual(await notes(), []);
      await within(config, [app], (site) =>
        site.database.transaction(async (db) => {
          await db.run(sql`update "_setting" set "value" = '5' where "key" = 'plan_version'`);
        }),
      );
      assert.deepEqual(await notes(), [
        'Song.title: clients may now write this read-only field; enforce_on_server prevents it',
        'Song.mood: mandatory_depends_on is now left to forms; enforce_on_server prevents it',
      ]);
    });

    test('a plan lists changes of on_delete', async () => {
      const config = await freshConfig();
      const singer = (on_delete: string) =>
        song(field('singer', 'Link', { options: 'Song', ...(on_delete && { on_delete }) }));
      await makeSongs(config, await appWith(singer('')), []);
      assert.deepEqual(renderPlan(await planSite(config, [await appWith(singer('block'))])), [
        'Everything is up to date.',
      ]);
      const cascading = await appWith(singer('cascade'));
      assert.deepEqual(renderPlan(await planSite(config, [cascading])), [
        'Song: on_delete of singer changes from block to cascade',
      ]);
      await within(config, [cascading], async () => {});
      assert.deepEqual(renderPlan(await planSite(config, [await appWith(singer('empty'))])), [
        'Song: on_delete of singer changes from cascade to empty',
      ]);
    });

    test('a loss of values is refused at start, counted in the plan, and carried out only when allowed', async () => {
      const config = await freshConfig();
      const before = await appWith(
        song(
          field('title', 'Data', { search_index: 1 }),
          field('length', 'Data'),
          field('Note', 'Data'),
          field('day', 'Data'),
        ),
      );
      const [one = '', two = '', three = ''] = await makeSongs(config, before, [
        { title: 'One', length: '3', Note: 'a', day: '2026-01-02' },
        { title: 'Two', length: 'three', day: '' },
        { length: '2.5', Note: 'c', day: 'soon' },
      ]);
      const afterwards = await appWith(
        song(field('length', 'Int'), field('note', 'Data'), field('day', 'Date')),
      );
      await assert.rejects(
        openSite(config, { apps: [afterwards] }),
        (error: unknown) =>
          error instanceof StartError && /length holds text values.*--allow-data-loss/s.test(error.message),
      );
      await assert.rejects(openSite(config, { apps: [afterwards], planEverything: true }), StartError);
      const lines = renderPlan(await planSite(config, [afterwards])).join('\n');
      assert.match(lines, /Only with --allow-data-loss:/);
      assert.match(lines, /Song: drop column title, whose field is gone: 2 values lost/);
      assert.match(lines, /Song: drop column Note, .* differs only in case: 2 values lost/);
      assert.match(lines, /length from text to integer: 2 of 3 values lost \("(three|2\.5)" in /);
      assert.match(lines, /day from text to date: 1 of 3 values lost \("soon" in /);
      await within(config, [before], async (site) =>
        assert.equal((await read(site, two))['length'], 'three'),
      );

      await (await openSite(config, { apps: [afterwards], planEverything: true, dataLoss: true })).close();
      assert.deepEqual(renderPlan(await planSite(config, [afterwards])), ['Everything is up to date.']);
      await within(config, [afterwards], async (site) => {
        const docs = await Promise.all([one, two, three].map((name) => read(site, name)));
        assert.deepEqual(
          docs.map((doc) => [doc['length'], doc['day'], doc['note']]),
          [
            [3, '2026-01-02', null],
            [0, null, null],
            [0, null, null],
          ],
        );
        const table = await describeTable(site.database.reader, 'Song');
        assert.ok(!table?.columns.some(({ name }) => name === 'title' || name.startsWith('_new')));
      });
    });

    test('tables of removed doctypes are dropped when allowed, unless another doctype refers to them', async () => {
      const config = await freshConfig();
      const app = await appWith(song(field('title', 'Data')), { ...song(field('x', 'Int')), name: 'Singer' });
      await makeSongs(config, app, [{ title: 'One' }]);
      await within(config, [app], (site) =>
        unitOfWork(site, ADMINISTRATOR, async (ctx) => {
          const fields = [field('singer', 'Link', { options: 'Singer' })];
          await createDocument(ctx, 'DocType', {
            name: 'Concert',
            module: 'Own',
            fields,
            permissions: PERMISSIONS,
            app: 'music',
          });
          await createDocument(ctx, 'Custom Field', { dt: 'Song', fieldname: 'extra', fieldtype: 'Data' });
        }),
      );
      const lines = renderPlan(await planSite(config, [])).join('\n');
      assert.match(lines, /Song, of the app music, .*: drop table with 1 document/);
      assert.match(lines, /Singer, of the app music, .*: kept, because Concert refers to it/);
      assert.ok(!/^ {2}Concert/m.test(lines), lines);
      await (await openSite(config, { apps: [], planEverything: true })).close();
      await within(config, [], async (site) => assert.ok(site.doctypes.find('Song')));

      await (await openSite(config, { apps: [], planEverything: true, dataLoss: true })).close();
      await within(config, [], async (site) => {
        assert.equal(site.doctypes.find('Song'), undefined);
        assert.equal(await describeTable(site.database.reader, 'Song'), null);
        assert.ok(site.doctypes.find('Singer') && site.doctypes.find('Concert'));
        const custom = await site.database.reader.all({ text: 'select * from "Custom Field"', values: [] });
        assert.deepEqual(custom, []);
      });
    });

    test('nulls become blank where a Select starts blank, and Durations may be unset', async () => {
      const config = await freshConfig();
      const app = await appWith(
        song(
          field('mood', 'Select', { options: '\nGlad\nSad', search_index: 1 }),
          field('length', 'Duration', { search_index: 1 }),
        ),
      );
      const [sad = '', unset = ''] = await makeSongs(config, app, [{ mood: 'Sad', length: 3 }, {}]);
      // The table as versions before the change made it.
      await within(config, [app], ({ database, doctypes }) =>
        database.transaction(async (connection) => {
          for (const to of tableOf(doctypes.get('Song')).columns) {
            if (to.name !== 'mood' && to.name !== 'length') continue;
            const old: ColumnSpec = { ...to, notNullDefault: to.name === 'mood' ? null : 0 };
            await applyChanges(connection, [{ change: 'alter_column', table: 'Song', from: to, to: old }]);
          }
          await connection.run(sql`update "Song" set "mood" = null where "name" = ${unset}`);
          await connection.run(
            sql`update "_setting" set "value" = '' where "key" in ('app:music', 'plan_version')`,
          );
        }),
      );
      const lines = renderPlan(await planSite(config, [app])).join('\n');
      assert.match(
        lines,
        /^ {2}change column mood to store "" for unset values, instead of null: rewrites 2 rows$/m,
      );
      assert.match(
        lines,
        /^ {2}change column length to store null for unset values from now on: rewrites 2 rows$/m,
      );
      await within(config, [app], async (site) => {
        const docs = await Promise.all([sad, unset].map((name) => read(site, name)));
        assert.deepEqual(
          docs.map(({ mood, length }) => [mood, length]),
          [
            ['Sad', 3],
            ['', 0],
          ],
        );
      });
      const [later = ''] = await makeSongs(config, app, [{}]);
      await within(config, [app], async (site) => assert.equal((await read(site, later))['length'], null));
      assert.deepEqual(renderPlan(await planSite(config, [app])), ['Everything is up to date.']);
    });

    test('a field of a file may repeat a custom field', async () => {
      const config = await freshConfig();
      const app = await appWith(song(field('title', 'Data')));
      const [name = ''] = await makeSongs(config, app, [{ title: 'One' }]);
      await within(config, [app], (site) =>
        unitOfWork(site, ADMINISTRATOR, (ctx) =>
          createDocument(ctx, 'Custom Field', {
            dt: 'Song',
            fieldname: 'mood',
            fieldtype: 'Data',
            default: 'glad',
          }),
        ),
      );
      const upgraded = await appWith(
        song(field('title', 'Data'), field('mood', 'Data', { label: 'Temper' })),
      );
      await within(config, [upgraded], async (site) => {
        assert.equal(site.doctypes.get('Song').fieldByName.get('mood')?.label, 'Temper');
        await read(site, name);
      });
    });
  });
}

test('the command prints the plan, ends with 0 and says what it did', async () => {
  const data = join(mkdtempSync(join(root, 'cli-')), 'data');
  const folder = join(root, 'cli-app');
  const argv = ['--data', data, '--apps', writeApp(folder, 'music', [song(field('title', 'Data'))])];
  const run = (...more: string[]) => spawnChancery(['migrate', ...argv, ...more]).finished;
  const fresh = await run('--plan');
  assert.equal(fresh.code, 0, fresh.stderr);
  assert.match(fresh.stdout, /There is no site yet.*Song: new table/s);
  assert.equal((await run()).code, 0);
  writeApp(folder, 'music', [song(field('opus', 'Int'))]);
  const planned = await run('--plan');
  assert.match(planned.stdout, /add column opus \(integer\)/);
  assert.match(planned.stdout, /drop column title, whose field is gone: 0 values lost/);
  const lossy = await run('--allow-data-loss');
  assert.equal(lossy.code, 0, lossy.stderr);
  assert.match(lossy.stdout, /drop column title.*Song: \d changes/s);
  assert.match((await run('--plan')).stdout, /^Everything is up to date\.$/m);
  assert.equal((await run('all')).code, 2);
});
