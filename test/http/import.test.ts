/** Imports of uploaded files: inspected, checked, stored, reported, paused and undone, on both engines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { until } from '../support/until.ts';

const all = { read: 1, write: 1, create: 1, delete: 1 };
const doctypes = [
  {
    name: 'Client',
    autoname: 'hash',
    title_field: 'full_name',
    fields: [{ fieldname: 'full_name', fieldtype: 'Data', label: 'Full Name' }],
    permissions: [{ role: 'Importer', ...all }],
  },
  {
    name: 'Bill Row',
    istable: 1,
    fields: [
      { fieldname: 'item', fieldtype: 'Data', label: 'Item', reqd: 1 },
      { fieldname: 'qty', fieldtype: 'Float', label: 'Quantity' },
    ],
  },
  {
    name: 'Bill',
    autoname: 'BILL-.####',
    fields: [
      { fieldname: 'number', fieldtype: 'Data', label: 'Number', unique: 1 },
      { fieldname: 'client', fieldtype: 'Link', options: 'Client', label: 'Client' },
      { fieldname: 'day', fieldtype: 'Date', label: 'Day', reqd: 1 },
      { fieldname: 'total', fieldtype: 'Currency', label: 'Total' },
      { fieldname: 'secret', fieldtype: 'Data', label: 'Secret', permlevel: 1 },
      { fieldname: 'stamped', fieldtype: 'Data', label: 'Stamped' },
      { fieldname: 'rows', fieldtype: 'Table', options: 'Bill Row', label: 'Rows' },
    ],
    permissions: [
      { role: 'Importer', ...all, import: 1, export: 1 },
      { role: 'Reader', ...all },
    ],
  },
  {
    name: 'Part',
    autoname: 'field:code',
    fields: [
      { fieldname: 'code', fieldtype: 'Data', label: 'Code', unique: 1 },
      { fieldname: 'email', fieldtype: 'Data', label: 'Email', unique: 1 },
      { fieldname: 'note', fieldtype: 'Data', label: 'Note' },
    ],
    permissions: [{ role: 'Importer', ...all, import: 1 }],
  },
  {
    name: 'Setup',
    issingle: 1,
    fields: [{ fieldname: 'note', fieldtype: 'Data', label: 'Note' }],
    permissions: [{ role: 'Importer', ...all, import: 1 }],
  },
];

/** Files with repeated values. A check and an import count the same: inserted, updated, unchanged, failed. */
const repeats: readonly {
  readonly of: string;
  readonly how: object;
  readonly lines: readonly string[];
  readonly ends: readonly number[];
}[] = [
  {
    of: 'a value that only a refused row has claimed is free',
    how: { doctype: 'Part' },
    lines: ['Code,Email', 'a,', 'a,a@x', 'b,a@x'],
    ends: [2, 0, 0, 1],
  },
  {
    of: 'spaces around the field that names documents mean nothing',
    how: { doctype: 'Part' },
    lines: ['Code,Email', 'c,c@x', 'c ,d@x'],
    ends: [1, 0, 0, 1],
  },
  {
    of: 'a new document is inserted, then updated',
    how: { doctype: 'Part', mode: 'Upsert', key_field: 'code' },
    lines: ['Code,Email,Note', 'e,e@x,1', 'e,e@x,2'],
    ends: [1, 1, 0, 0],
  },
  {
    of: 'a document is found by its name, and keeps its unique values',
    how: { doctype: 'Part', mode: 'Update', key_field: 'name' },
    lines: ['ID,Email,Note', 'Known,known@x,1', 'Known,known@x,2'],
    ends: [0, 2, 0, 0],
  },
  {
    of: 'another document has the value',
    how: { doctype: 'Part', mode: 'Upsert', key_field: 'code' },
    lines: ['Code,Email', 'f,f@x', 'g,f@x'],
    ends: [1, 0, 0, 1],
  },
  {
    of: 'a Single has one document',
    how: { doctype: 'Setup' },
    lines: ['Note', '1', '2'],
    ends: [0, 2, 0, 0],
  },
];
/** The total of bills whose hook is slow. */
const SLOW = 300;
const apps: readonly App[] = [
  {
    name: 'stamps',
    controllers: {
      Bill: {
        // Longer than the other records of a file take.
        async beforeInsert(doc) {
          if (doc['total'] === SLOW) await pause(300);
        },
        validate(doc) {
          doc['stamped'] = 'by a hook';
        },
      },
    },
  },
];
const users = { importer: ['Importer'], reader: ['Reader'], manager: ['System Manager', 'Importer'] };

describeEither('imports', { doctypes, users, apps }, (site) => {
  const upload = async (content: string, as = 'importer', file_name = 'bills.csv') =>
    (await site.make('File', { file_name, content, is_private: 1 }, as)).file_url as string;
  const load = (name: string) => site.ok('GET', `/api/resource/Data Load/${name}`);
  const ended = async (name: string) => {
    const busy = ['Checking', 'Running', 'Undoing'];
    await until(async () => !busy.includes((await load(name)).status));
    return load(name);
  };
  const start = async (content: string, more: object = {}, as = 'importer') => {
    const file_url = await upload(content, as);
    const { name } = await site.call('chancery.import.start', { doctype: 'Bill', file_url, ...more }, as);
    return ended(name);
  };
  const bills = (fields = ['number', 'total']): Promise<{ number: string; total: number }[]> =>
    site.ok('GET', `/api/resource/Bill?fields=${JSON.stringify(fields)}&order_by=number asc&limit=50`);
  const problems = async (name: string, as = 'importer') =>
    (await site.call('chancery.load.problems', { name }, as)).map(
      ({ row, field, value, reason }: Record<string, unknown>) => [row, field, value, reason],
    );
  const counts = ({ status, inserted, updated, unchanged, failed }: Record<string, unknown>) => [
    ...[status, inserted, updated, unchanged, failed],
  ];

  test('a file is inspected: its form, its columns, a preview', async () => {
    const file_url = await upload('Number;Day;Amount;Rows / Item\n1;31.01.2026;1.234,50;Lamp\n');
    const found = await site.call('chancery.import.inspect', { doctype: 'Bill', file_url }, 'importer');
    assert.deepEqual(found.form, {
      ...{ format: 'csv', encoding: 'utf-8', delimiter: ';', header_row: 1, dates: 'dmy', decimal: ',' },
    });
    assert.deepEqual(
      found.columns.map(({ key, target, by }: Record<string, unknown>) => [key, target, by]),
      [
        ['Number', 'number', 'head'],
        ['Day', 'day', 'head'],
        ['Amount', 'total', 'shape'],
        ['Rows / Item', 'rows.item', 'head'],
      ],
    );
    assert.deepEqual(found.preview, [['1', '31.01.2026', '1.234,50', 'Lamp']]);
    const keys = found.targets.map(({ key }: { key: string }) => key);
    assert.ok(keys.includes('rows.qty'));
    assert.ok(!keys.includes('secret'));
  });

  test('a check names every bad cell, and stores nothing', async () => {
    const text = [
      'Number,Day,Total,Client,Rows / Item,Rows / Quantity',
      'a,2026-01-31,1,,Lamp,1',
      ',,,,,many',
      'b,tomorrow,much,Nobody,Desk,2',
      'c,2026-02-01,3,,,',
      'c,2026-02-01,4,,,',
    ].join('\n');
    const done = await start(text, { dry_run: 1 });
    assert.deepEqual(counts(done), ['Checked', 1, 0, 0, 3]);
    assert.deepEqual(await problems(done.name), [
      [3, 'rows.qty', 'many', 'Quantity must be a number, not "many"'],
      [4, 'day', 'tomorrow', 'Day must be a date as YYYY-MM-DD, not "tomorrow"'],
      [4, 'total', 'much', 'Total must be a number, not "much"'],
      [6, 'number', 'c', 'Row 5 has the same Number'],
    ]);
    assert.deepEqual(await bills(), []);
  });

  test('the good rows are stored, or none, as chosen; a corrected report is imported again', async () => {
    const text = 'Number,Day,Total\ng1,2026-01-31,1\ng2,,2\ng3,2026-02-01,=3\n';
    const none = await start(text, { on_error: 'none' });
    assert.deepEqual(counts(none), ['Checked', 1, 0, 0, 2]);
    assert.match(none.error, /Nothing was stored, because 2 records have problems/);
    assert.deepEqual(await bills(), []);
    const good = await start(text);
    assert.deepEqual(counts(good), ['Done', 1, 0, 0, 2]);
    assert.ok(good.started <= good.finished, `${good.started} ${good.finished}`);
    assert.deepEqual(await bills(), [{ number: 'g1', total: 1 }]);
    assert.deepEqual(await problems(good.name), [
      [3, 'day', '', 'Error: Value missing for Bill: Day'],
      [4, 'total', '=3', 'Total must be a number, not "=3"'],
    ]);
    const report = await site.request('GET', `/api/method/chancery.import.report?name=${good.name}`, {
      as: 'importer',
    });
    assert.equal(report.status, 200);
    assert.deepEqual(report.text.split('\r\n'), [
      'Number,Day,Total,Reason (not imported)',
      'g2,,2,day: Error: Value missing for Bill: Day',
      'g3,2026-02-01,\'=3,"total: Total must be a number, not ""=3"""',
      '',
    ]);
    const corrected = report.text.replace('g2,,', 'g2,2026-03-01,').replace("'=3", '3');
    assert.deepEqual(counts(await start(corrected)), ['Done', 2, 0, 0, 0]);
    assert.equal((await bills()).length, 3);
  });

  test('of records with one unique value, the first is stored, although a later one is faster', async () => {
    const text = `Number,Day,Total\nf1,2026-01-31,${SLOW}\nf1,2026-01-31,1\nf2,2026-01-31,2\n`;
    const checked = await start(text, { dry_run: 1 });
    assert.deepEqual(counts(checked), ['Checked', 2, 0, 0, 1]);
    assert.deepEqual(await problems(checked.name), [[3, 'number', 'f1', 'Row 2 has the same Number']]);
    const done = await start(text);
    assert.deepEqual(counts(done), ['Done', 2, 0, 0, 1]);
    const [problem, ...others] = await problems(done.name);
    assert.deepEqual([problem?.[0], others], [3, []]);
    const totals = (await bills()).filter(({ number }) => number.startsWith('f')).map(({ total }) => total);
    assert.deepEqual(totals, [SLOW, 2]);
  });

  test('of records that update one document, the last wins, and its check says so', async () => {
    await site.make('Bill', { number: 'w1', day: '2026-01-01', total: 1 });
    const text = 'Number,Day,Total\nw1,2026-01-01,2\nw1,2026-01-01,3\n';
    const upsert = { mode: 'Upsert', key_field: 'number' };
    const checked = await start(text, { ...upsert, dry_run: 1 });
    assert.deepEqual(counts(checked), ['Checked', 0, 2, 0, 0]);
    assert.deepEqual(await problems(checked.name), [[3, 'number', 'w1', 'Row 2 has the same Number']]);
    assert.equal((await start(text, upsert)).status, 'Done');
    assert.equal((await bills()).find(({ number }) => number === 'w1')?.total, 3);
  });

  test('a check says of rows that repeat names and unique values what the import does', async () => {
    await site.make('Part', { code: 'Known', email: 'known@x' });
    for (const { of, how, lines, ends } of repeats) {
      const text = lines.join('\n');
      assert.deepEqual(counts(await start(text, { ...how, dry_run: 1 })), ['Checked', ...ends], of);
      assert.deepEqual(counts(await start(text, how)), ['Done', ...ends], of);
    }
  });

  test('the log is filtered by kind, and the file goes with its import', async () => {
    const done = await start('Number,Day\nk1,\nk1,2026-01-31\n');
    const log = (kind: string) => site.rpc('chancery.load.problems', { name: done.name, kind }, 'importer');
    const lengths = ['error', 'link'].map(async (kind) => (await log(kind)).body.message.length);
    assert.deepEqual(await Promise.all(lengths), [1, 0]);
    assert.equal((await log('other')).status, 417);
    const filesOf = async () => {
      const filters = JSON.stringify([['file_url', '=', done.import_file]]);
      const fields = '["owner","attached_to_doctype","attached_to_name"]';
      const files = await site.ok('GET', `/api/resource/File?filters=${filters}&fields=${fields}`);
      return files.map((file: object) => Object.values(file).join(' ')).sort();
    };
    assert.deepEqual(await filesOf(), [`importer@example.com Data Load ${done.name}`]);
    // Another import of the same file has a File of its own.
    const asked = { doctype: 'Bill', file_url: done.import_file, dry_run: 1 };
    const { name } = await site.call('chancery.import.start', asked, 'importer');
    await ended(name);
    await site.did('DELETE', `Data Load/${done.name}`);
    assert.deepEqual(await filesOf(), [`Administrator Data Load ${name}`]);
    await site.did('DELETE', `Data Load/${name}`);
    assert.deepEqual(await filesOf(), []);
  });

  test('upsert by a unique field: titles of links, unchanged documents, and an undo', async () => {
    const { name: client } = await site.make('Client', { full_name: 'Jane Roe' });
    await site.make('Bill', { number: 'u1', day: '2026-01-01', total: 1, rows: [{ item: 'old', qty: 1 }] });
    await site.make('Bill', { number: 'u2', day: '2026-01-02', total: 2 });
    const text =
      'Number,Day,Total,Client,Rows / Item\nu1,2026-01-01,9,Jane Roe,new\nu2,2026-01-02,2,,\nu3,2026-01-03,3,,\n';
    const done = await start(text, { mode: 'Upsert', key_field: 'number' });
    assert.deepEqual(counts(done), ['Done', 1, 1, 1, 0]);
    const listed = async (more: object = {}) =>
      (await site.call('chancery.load.records', { name: done.name, ...more }, 'importer')) as {
        [key: string]: unknown;
      }[];
    const records = await listed();
    assert.deepEqual(records.map(({ row, doctype, action }) => [row, doctype, action]).sort(), [
      [2, 'Bill', 'updated'],
      [3, 'Bill', 'unchanged'],
      [4, 'Bill', 'inserted'],
    ]);
    assert.deepEqual(await listed({ after: records[0]?.['seq'], limit: 1 }), records.slice(1, 2));
    const [inserted] = await listed({ action: 'inserted' });
    assert.equal((await site.ok('GET', `/api/resource/Bill/${inserted?.['name']}`)).number, 'u3');
    const changed = await site.ok(
      'GET',
      '/api/resource/Bill?fields=["name","client","total",{"rows":["item"]}]&filters=[["number","=","u1"]]',
    );
    assert.deepEqual([changed[0].client, changed[0].total, changed[0].rows[0].item], [client, 9, 'new']);
    await site.call('chancery.load.undo', { name: done.name }, 'importer');
    assert.equal((await ended(done.name)).status, 'Undone');
    const back = await site.ok('GET', `/api/resource/Bill/${changed[0].name}`);
    assert.deepEqual([back.total, back.client ?? null, back.rows[0].item], [1, null, 'old']);
    assert.equal((await site.ok('GET', '/api/resource/Bill?filters=[["number","=","u3"]]')).length, 0);
  });

  test('rights: import, permlevels, hooks and webhooks, and whose load it is', async () => {
    const file_url = await upload('Number,Day\nr1,2026-01-31\n', 'reader');
    const asked = { doctype: 'Bill', file_url };
    assert.equal((await site.rpc('chancery.import.start', asked, 'reader')).status, 403);
    assert.equal((await site.rpc('chancery.import.inspect', asked, 'reader')).status, 403);
    const own = { doctype: 'Bill', file_url: await upload('Number,Day,Secret\nr1,2026-01-31,s\n') };
    for (const more of [{ skip_hooks: 1 }, { skip_webhooks: 1 }])
      assert.equal((await site.rpc('chancery.import.start', { ...own, ...more }, 'importer')).status, 403);
    assert.equal(
      (await site.rpc('chancery.import.start', { ...own, mapping: { Secret: 'secret' } }, 'importer')).status,
      417,
    );
    const { name } = await site.call('chancery.import.start', own, 'importer');
    await ended(name);
    const quiet = await start('Number,Day\nr2,2026-01-31\n', { skip_hooks: 1, skip_webhooks: 1 }, 'manager');
    assert.equal(quiet.status, 'Done');
    const stored = await site.ok(
      'GET',
      '/api/resource/Bill?fields=["number","stamped","secret","owner"]&filters=[["number","in",["r1","r2"]]]&order_by=number asc',
    );
    assert.deepEqual(
      stored.map(({ stamped, secret }: Record<string, unknown>) => [stamped, secret]),
      [
        ['by a hook', null],
        [null, null],
      ],
    );
    assert.match(stored[0].owner, /^importer/);
    for (const method of ['problems', 'records', 'undo', 'pause'])
      assert.equal((await site.rpc(`chancery.load.${method}`, { name }, 'reader')).status, 403);
    assert.equal((await site.rpc('chancery.load.pause', { name }, 'importer')).status, 417);
  });
});
