/** Lists as files, by HTTP and by the command line, on both engines. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { chancery, flagsOf } from '../support/command.ts';
import { describeEither } from '../support/describe-site.ts';

const everybody = (role: string, more: object = {}) => ({ role, read: 1, write: 1, create: 1, ...more });
const doctypes = [
  {
    name: 'Bill Item',
    istable: 1,
    fields: [
      { fieldname: 'item', fieldtype: 'Data', label: 'Item' },
      { fieldname: 'qty', fieldtype: 'Float', label: 'Quantity' },
      { fieldname: 'cost', fieldtype: 'Currency', permlevel: 1 },
    ],
  },
  {
    name: 'Bill',
    autoname: 'field:title',
    fields: [
      { fieldname: 'title', fieldtype: 'Data', label: 'Title' },
      { fieldname: 'day', fieldtype: 'Date', label: 'Day' },
      { fieldname: 'total', fieldtype: 'Currency', label: 'Total' },
      { fieldname: 'secret', fieldtype: 'Data', label: 'Secret', permlevel: 1 },
      { fieldname: 'pass', fieldtype: 'Password', label: 'Pass' },
      { fieldname: 'items', fieldtype: 'Table', options: 'Bill Item', label: 'Items' },
    ],
    permissions: [
      everybody('Exporter', { export: 1 }),
      everybody('Owner', { export: 1, if_owner: 1 }),
      everybody('Reader'),
    ],
  },
];
const users = { exporter: ['Exporter'], owner: ['Owner', 'Reader'], reader: ['Reader'] };

describeEither('exports of lists', { doctypes, users }, (site) => {
  const get = async (query: string, as?: string) =>
    site.request('GET', `/api/method/chancery.export?doctype=Bill&${query}`, { as });
  const made = async () => {
    for (const [title, as, items] of [
      [
        '=1+1',
        'exporter',
        [
          { item: 'Lamp', qty: 2, cost: 5 },
          { item: 'Desk; "oak"', qty: 1 },
        ],
      ],
      ["'quoted", 'owner', []],
    ] as const)
      await site.make('Bill', { title, day: '2026-01-31', total: -1.5, secret: 's', pass: 'p', items }, as);
  };

  test('as CSV: guarded against formulas, child rows below their document', async () => {
    await made();
    const { status, text, headers } = await get('fields=name,total,items&order_by=name asc', 'exporter');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(
      headers.get('content-disposition') ?? '',
      /^attachment; filename="Bill \d{4}-\d\d-\d\d\.csv"$/,
    );
    assert.deepEqual(text.replace('\uFEFF', '').split('\r\n'), [
      'name,total,items.item,items.qty',
      "'quoted,-1.5,,",
      "'=1+1,-1.5,Lamp,2",
      ',,"Desk; ""oak""",1',
      '',
    ]);
  });

  test('as JSON and NDJSON, with filters, and labels as heads of CSV', async () => {
    const query = `fields=title,items.qty&filters=${encodeURIComponent('[["title","=","=1+1"]]')}`;
    const doc = { title: '=1+1', items: [{ qty: 2 }, { qty: 1 }] };
    assert.deepEqual((await get(`${query}&format=json`)).body, [doc]);
    assert.equal((await get(`${query}&format=ndjson`)).text, `${JSON.stringify(doc)}\n`);
    assert.equal((await get('format=json&filters=[["title","=","nothing"]]')).text, '[]\n');
    assert.match(
      (await get('heads=labels&fields=name,title,items.qty')).text,
      /^ID,Title,Items \/ Quantity\r\n/,
    );
  });

  test('without fields: all that the user may read, never passwords', async () => {
    const heads = async (as?: string) =>
      (await get('', as)).text.replace('\uFEFF', '').split('\r\n')[0]?.split(',');
    const usual = [
      'name',
      'owner',
      'creation',
      'modified',
      'modified_by',
      'docstatus',
      'title',
      'day',
      'total',
    ];
    assert.deepEqual(await heads('exporter'), [...usual, 'items.item', 'items.qty']);
    assert.deepEqual(await heads(), [...usual, 'secret', 'items.item', 'items.qty', 'items.cost']);
  });

  test('of the documents on which the user has the right', async () => {
    const names = async (as: string) => (await get('format=json&fields=name', as)).body;
    assert.deepEqual(await names('owner'), [{ name: "'quoted" }]);
    assert.equal((await names('exporter')).length, 2);
    assert.equal((await get('', 'reader')).status, 403);
    assert.equal((await get('format=pdf')).status, 417);
    assert.equal((await get('fields=nothing')).status, 417);
    assert.equal((await get('fields=secret', 'exporter')).status, 417);
    const entries = await site.ok(
      'GET',
      '/api/resource/Audit Log?filters=[["event","=","exported"]]&fields=["user"]&limit=100',
    );
    assert.ok(entries.some(({ user }: { user: string }) => user.startsWith('exporter')));
  });

  test('by the command line, as a user', async () => {
    const { data } = site.site.config;
    const file = join(data, 'bills.xlsx');
    const words = ['export', '--doctype', 'Bill', '--fields', 'title', '--user', 'nobody@example.com', file];
    const ran = await chancery(data, [...words, ...flagsOf(site.site.config)]);
    assert.equal(ran.stderr, 'There is no enabled user nobody@example.com.\n');
    assert.equal(ran.code, 1);
    const csv = join(data, 'bills.csv');
    const other = await chancery(data, [
      'export',
      '--doctype',
      'Bill',
      '--fields',
      'title',
      csv,
      ...flagsOf(site.site.config),
    ]);
    assert.equal(other.code, 0, other.stderr);
    assert.equal((await readFile(csv, 'utf8')).split('\r\n').length, 4);
  });
});
