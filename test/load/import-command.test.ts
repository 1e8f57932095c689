import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { readLoad } from '../../src/load/data-load.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { chancery, flagsOf, type Ran } from '../support/command.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { siteDatabase } from '../support/site-database.ts';

const DOCTYPE = { doctype: 'DocType', module: 'Test' };
const PERMISSIONS = [{ role: 'Clerk', read: 1, write: 1, create: 1 }];

/** Two doctypes that link to each other, a user with a role, and documents in a circle. */
const RECORDS = [
  {
    ...DOCTYPE,
    name: 'Left',
    autoname: 'prompt',
    fields: [{ fieldname: 'right', label: 'Right', fieldtype: 'Link', options: 'Right' }],
    permissions: PERMISSIONS,
  },
  {
    ...DOCTYPE,
    name: 'Right',
    autoname: 'prompt',
    fields: [{ fieldname: 'left', label: 'Left', fieldtype: 'Link', options: 'Left' }],
    permissions: PERMISSIONS,
  },
  {
    doctype: 'Custom Field',
    name: 'Left-extra',
    dt: 'Left',
    fieldname: 'extra',
    label: 'Extra',
    fieldtype: 'Data',
  },
  { doctype: 'User', name: 'jane@example.com', email: 'jane@example.com', first_name: 'Jane', enabled: 1 },
  { doctype: 'Left', name: 'L1', right: 'R1', extra: 'more' },
  { doctype: 'Right', name: 'R1', left: 'L1' },
];

describeEitherEngine('chancery import', (engine) => {
  let folder: string;
  let made: Awaited<ReturnType<typeof siteDatabase>>;
  let flags: readonly string[];
  const config = () => ({
    ...DEFAULT_CONFIG,
    data: folder,
    database: made.url,
    adminPassword: 'admin-password',
  });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chancery-import-'));
    made = await siteDatabase(engine, folder);
    flags = flagsOf(config());
    await (await openSite(config(), {})).close();
  });
  after(async () => {
    await made.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(lines: readonly (object | string)[], ...more: readonly string[]): Promise<Ran> {
    const file = join(folder, 'records.ndjson');
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    await writeFile(file, texts.join('\n'));
    return chancery(folder, ['import', file, ...more, ...flags]);
  }

  async function inSite<T>(work: (site: OpenSite) => Promise<T>): Promise<T> {
    const site = await openSite(config(), { tool: true });
    return work(site).finally(() => site.close());
  }

  const onSqlite = { skip: engine === 'postgres' };
  test('a command keeps less of the database in memory than a server', onSqlite, async () => {
    const kept = await inSite(({ database }) =>
      database.reader.get({ text: 'pragma cache_size', values: [] }),
    );
    assert.deepEqual(kept, { cache_size: -8192 });
  });

  test('a dry run tries definitions and documents, and stores nothing', async () => {
    const lines = [...RECORDS, { doctype: 'User', name: 'joe@example.com', creation: 'today' }];
    assert.deepEqual(await run(lines, '--dry-run'), {
      code: 1,
      stdout: [
        '2 doctypes would be created, 0 updated, 1 customizations saved.',
        'Not checked, because they are new: documents of Left, Right.',
        'LOAD-00001, only checked: 1 inserted, 2 skipped, 1 failed.',
        'Line 7, User joe@example.com, creation, "today": It must be a date and time as YYYY-MM-DD HH:MM:SS',
        '',
      ].join('\n'),
      stderr: '',
    });
    await inSite(async ({ doctypes, database }) => {
      assert.deepEqual([doctypes.find('Left'), doctypes.find('Right')], [undefined, undefined]);
      assert.deepEqual(await database.reader.all(sql`select 1 from "User" where "name" like 'j%'`), []);
      await database.transaction((db) => db.run(sql`delete from "Data Load"`));
      await database.transaction((db) => db.run(sql`delete from "_load_problem"`));
    });
    const folded = await chancery(folder, ['import', folder, '--dry-run', ...flags]);
    assert.deepEqual([folded.code, folded.stderr], [2, '--dry-run has no meaning with a folder\n']);
  });

  test('loads definitions in a circle, users and documents, and undoes the documents', async () => {
    const loaded = await run(RECORDS);
    assert.deepEqual(loaded, {
      code: 0,
      stdout: '2 doctypes created, 0 updated, 1 customizations saved.\nLOAD-00002: 3 inserted.\n',
      stderr: '',
    });
    const again = await run(RECORDS, '--mode', 'upsert');
    assert.match(again.stdout, /LOAD-00003: 3 unchanged\.\n$/);
    const undone = await chancery(folder, ['import', 'undo', 'LOAD-00002', ...flags]);
    assert.deepEqual([undone.code, undone.stdout], [0, 'LOAD-00002: 3 records undone, 0 kept.\n']);
    const rows = await inSite((site) => site.database.reader.all(sql`select "name" from "Left"`));
    assert.deepEqual(rows, []);
  });

  test('names bad lines, goes on with a load that has not ended, and stores nothing twice', async () => {
    const lines = [
      { doctype: 'Left', name: 'A' },
      '{"doctype"',
      { name: 'x' },
      RECORDS[0] ?? '',
      { doctype: 'Left', name: 'B', right: 'no' },
    ];
    const first = await run(lines);
    assert.equal(first.code, 1);
    assert.deepEqual(first.stdout.split('\n').slice(1, -1).sort(), [
      '1 links name documents that are not here.',
      'Line 2, 2: The line is not JSON',
      'Line 3, 3: The line has no doctype',
      'Line 4, DocType Left: DocType: definitions come before all documents',
      'Line 5, Left B, right, "no": Right no not found',
    ]);
    const name = first.stdout.split(':')[0] ?? '';
    await inSite(async (site) => {
      const load = await readLoad(site.database.reader, name);
      assert.deepEqual([load.status, load.counts.inserted, load.counts.failed], ['Done', 2, 3]);
      // As a kill leaves it: it runs, and the last record is neither stored nor in the ledger.
      await site.database.transaction(async (db) => {
        await db.run(sql`update "Data Load" set "status" = 'Running', "inserted" = 0 where "name" = ${name}`);
        await db.run(sql`delete from "_load_row" where "load" = ${name} and "key" = 'B'`);
        await db.run(sql`delete from "Left" where "name" = 'B'`);
      });
    });
    const second = await run(lines);
    assert.match(second.stdout, new RegExp(`^${name}: 2 inserted, 3 failed\\.`));
    const rows = await inSite((site) =>
      site.database.reader.all(sql`select "name" from "Left" order by "name"`),
    );
    assert.deepEqual(
      rows.map((row) => row['name']),
      ['A', 'B'],
    );
  });

  test('refuses a mode and a file that are none', async () => {
    assert.equal((await run([], '--mode', 'all')).code, 2);
    const gone = await chancery(folder, ['import', join(folder, 'nothing'), ...flags]);
    assert.deepEqual([gone.code, /cannot be read/.test(gone.stderr)], [1, true]);
  });
});
