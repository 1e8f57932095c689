/** Tables of `autoincrement` doctypes from before, with text names, when the server starts with them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { renderPlan } from '../../src/cli/render-plan.ts';
import type { Config } from '../../src/config/config.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { applyChanges } from '../../src/db/apply-changes.ts';
import { describeTable } from '../../src/db/describe.ts';
import type { ColumnKind, ColumnSpec } from '../../src/db/dialect.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { loadApp } from '../../src/site/schema/apps/load-app.ts';
import { indexChanges } from '../../src/site/schema/migration/change-table.ts';
import { planSite } from '../../src/site/schema/migration/plan-site.ts';
import { StartError } from '../../src/site/start-error.ts';
import { writeApp } from '../support/app-folder.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { startTestSite, type TestSite } from '../support/site.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-numbered-'));
after(() => rmSync(root, { recursive: true, force: true }));

const permissions = [
  { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, share: 1 },
  { role: 'Agent', read: 1, if_owner: 1 },
];
const DEFINITIONS = [
  { name: 'Job Row', module: 'Jobs', istable: 1, fields: [{ fieldname: 'text', fieldtype: 'Data' }] },
  {
    name: 'Job',
    module: 'Jobs',
    autoname: 'autoincrement',
    allow_rename: 1,
    track_changes: 1,
    permissions,
    fields: [
      { fieldname: 'title', fieldtype: 'Data', unique: 1 },
      { fieldname: 'cost', fieldtype: 'Currency' },
      { fieldname: 'due', fieldtype: 'Date', search_index: 1 },
      { fieldname: 'before', fieldtype: 'Link', options: 'Job' },
      { fieldname: 'rows', fieldtype: 'Table', options: 'Job Row' },
    ],
  },
];
const app = await loadApp(writeApp(join(root, 'app'), 'jobs', DEFINITIONS), root);

describeEitherEngine('numbered names from before', (engine) => {
  const drops: (() => Promise<void>)[] = [];
  after(async () => {
    for (const drop of drops) await drop();
  });

  async function freshConfig(): Promise<Config> {
    const { url, drop } = await freshDatabaseUrl(engine);
    drops.push(drop);
    const secretKey = Buffer.alloc(32, 7).toString('base64');
    const adminApiKey = 'admin-key:admin-secret-0123456789';
    const data = mkdtempSync(join(root, 'data-'));
    return { ...DEFAULT_CONFIG, data, database: url, secretKey, adminApiKey };
  }

  async function within<T>(config: Config, work: (site: TestSite) => Promise<T>): Promise<T> {
    const { data, database, secretKey } = config;
    const site = await startTestSite(engine, { apps: [app], config: { data, database, secretKey } });
    try {
      return await work(site);
    } finally {
      await site.stop();
    }
  }

  const kindOfName = async ({ site }: TestSite) => {
    const table = await describeTable(site.database.reader, 'Job');
    return table?.columns.find(({ name }) => name === 'name')?.kind;
  };

  /** The table as versions before had it. */
  async function setBack(site: TestSite, ...renamed: (readonly [number, string])[]): Promise<void> {
    await site.site.database.transaction(async (db) => {
      const key = (kind: ColumnKind): ColumnSpec => ({ name: 'name', kind, notNullDefault: null });
      await applyChanges(db, [
        { change: 'alter_column', table: 'Job', from: key('integer'), to: key('text') },
      ]);
      for (const [from, to] of renamed)
        await db.run(sql`update ${ident('Job')} set "name" = ${to} where "name" = ${String(from)}`);
      await db.run(sql`update "_setting" set "value" = '' where "key" in ('app:jobs', 'plan_version')`);
    });
    assert.equal(await kindOfName(site), 'text');
  }

  test('become numbers, with everything that refers to them', async () => {
    const config = await freshConfig();
    let file = { name: '', file_url: '' };
    let agent = '';
    await within(config, async (site) => {
      agent = await site.createUser('agent@example.com', ['Agent']);
      for (let number = 1; number <= 11; number += 1) {
        const before = number === 1 ? null : String(number - 1);
        const rows = [{ text: `a${number}` }, { text: `b${number}` }];
        await site.make('Job', { title: `J${number}`, cost: 1.25, due: '2026-01-02', before, rows });
      }
      await site.did('PUT', 'Job/10', { title: 'Ten' });
      await site.call('frappe.share.add', { doctype: 'Job', name: 10, user: 'agent@example.com', read: 1 });
      const form = new FormData();
      form.set('file', new Blob(['x']), 'x.txt');
      for (const [key, value] of [
        ['doctype', 'Job'],
        ['docname', '10'],
        ['is_private', '1'],
      ] as const)
        form.set(key, value);
      file = await site.ok('POST', '/api/method/upload_file', { body: form });
      await setBack(site);
    });
    const lines = renderPlan(await planSite(config, [app])).join('\n');
    assert.match(lines, /^Job \(11 rows\)$/m);
    assert.match(lines, /^ {2}change column name from text to integer: rewrites 11 rows$/m);

    await within(config, async (site) => {
      assert.equal(await kindOfName(site), 'integer');
      const table = await describeTable(site.site.database.reader, 'Job');
      assert.equal(table?.primaryKey, 'name');
      assert.deepEqual(indexChanges(engine, site.site.doctypes.get('Job'), table), []);
      const listed = await site.did('GET', 'Job?order_by=name%20asc&limit_page_length=50');
      assert.deepEqual(
        listed.map((row: { name: unknown }) => row.name),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      );
      const ten = await site.did('GET', 'Job/10');
      assert.deepEqual(
        [ten.name, ten.title, ten.cost, ten.due, ten.before],
        [10, 'Ten', 1.25, '2026-01-02', '9'],
      );
      assert.deepEqual(
        ten.rows.map((row: { parent: string; text: string }) => [row.parent, row.text]),
        [
          ['10', 'a10'],
          ['10', 'b10'],
        ],
      );
      const versions = await site.did('GET', 'Version?filters={"docname":"10"}');
      assert.equal(versions.length, 1);
      const seen = await site.did('GET', 'Job', undefined, agent);
      assert.deepEqual(seen, [{ name: 10 }]);
      assert.equal((await site.request('GET', '/api/resource/Job/9', { as: agent })).status, 403);
      assert.equal((await site.request('GET', file.file_url)).status, 200);
      assert.equal((await site.did('GET', `File/${file.name}`)).attached_to_name, '10');
      assert.equal((await site.request('DELETE', '/api/resource/Job/10')).body.exc_type, 'LinkExistsError');
      assert.equal((await site.make('Job', { title: 'New', before: 10 })).name, 12);
      const taken = await site.request('POST', '/api/resource/Job', { body: { title: 'New' } });
      assert.equal(taken.body.exc_type, 'UniqueValidationError');
    });
    assert.deepEqual(renderPlan(await planSite(config, [app])), ['Everything is up to date.']);
  });

  test('that are no numbers are listed by the plan, and refused at a start', async () => {
    const config = await freshConfig();
    await within(config, async (site) => {
      for (const title of ['a', 'b', 'c', 'd']) await site.make('Job', { title });
      await setBack(site, [2, 'Two'], [3, '007'], [4, '9007199254740993']);
    });
    const problem =
      'Job: autoincrement needs names that are whole numbers; rename or delete "007", "9007199254740993", "Two" before the migration';
    assert.deepEqual((await planSite(config, [app])).notes, [problem]);
    await assert.rejects(
      within(config, async () => {}),
      (error: unknown) => error instanceof StartError && error.message.includes(problem),
    );
  });
});
