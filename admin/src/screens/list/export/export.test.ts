import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BootUser } from '../../../data/boot.ts';
import { type Meta, metaOf } from '../../../meta/meta.ts';
import { type ExportOptions, exportBytes } from './export-bytes.ts';
import { exportColumns, exportQuery } from './export-columns.ts';

const user = { name: 'sue@example.com', roles: new Set(['Clerk']) } as unknown as BootUser;
const bundle = {
  meta: metaOf({
    name: 'Bill',
    fields: [
      { fieldname: 'title', fieldtype: 'Data', label: 'Title' },
      { fieldname: 'kind', fieldtype: 'Link', options: 'DocType' },
      { fieldname: 'of', fieldtype: 'Dynamic Link', options: 'kind' },
      { fieldname: 'secret', fieldtype: 'Data', permlevel: 1 },
      { fieldname: 'pass', fieldtype: 'Password' },
      { fieldname: 'items', fieldtype: 'Table', options: 'Item', label: 'Items' },
      { fieldname: 'hidden_rows', fieldtype: 'Table', options: 'Item', permlevel: 1 },
      { fieldname: 'notes', fieldtype: 'Table', options: 'Note', label: 'Notes' },
    ],
  }),
  children: new Map<string, Meta>([
    [
      'Item',
      metaOf({
        name: 'Item',
        fields: [
          { fieldname: 'item', fieldtype: 'Data', label: 'Item' },
          { fieldname: 'qty', fieldtype: 'Float', label: 'Quantity' },
          { fieldname: 'cost', fieldtype: 'Currency', permlevel: 2 },
        ],
      }),
    ],
    ['Note', metaOf({ name: 'Note', fields: [{ fieldname: 'text', fieldtype: 'Data', label: 'Text' }] })],
  ]),
};
const all = exportColumns(bundle, user);
const pick = (...keys: string[]) => keys.flatMap((key) => all.find((one) => one.key === key) ?? []);

const DOCS = [
  {
    name: 'B1',
    title: '=1+1',
    items: [
      { item: 'Lamp', qty: 2, idx: 1 },
      { item: 'Desk, oak', qty: 1, idx: 2 },
    ],
    notes: [{ text: 'first' }],
  },
  { name: 'B2', title: 'Second', items: [], notes: [] },
];

async function written(options: Partial<ExportOptions>): Promise<string> {
  async function* pages() {
    yield DOCS.slice(0, 1);
    yield DOCS.slice(1);
  }
  const asked: ExportOptions = {
    format: 'csv',
    columns: pick('title', 'items.item', 'items.qty', 'notes.text'),
    hasLabels: true,
    hasTitles: false,
    isNested: true,
    isGuarded: true,
    ...options,
  };
  const parts: Uint8Array[] = [];
  for await (const bytes of exportBytes(pages(), asked, 'Bill')) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

describe('an export', () => {
  test('offers only the fields that the user may read', () => {
    const keys = all.map(({ key }) => key);
    assert.deepEqual(
      keys.filter((key) => key.includes('.')),
      ['items.item', 'items.qty', 'notes.text'],
    );
    assert.deepEqual(
      ['secret', 'pass', 'items'].filter((key) => keys.includes(key)),
      [],
    );
  });

  test('asks for the columns, for child rows as arrays, and for the doctype of a Dynamic Link', () => {
    const query = exportQuery(
      { fields: ['name', 'modified'], order_by: 'title asc' },
      pick('of', 'items.qty'),
    );
    assert.deepEqual(query, {
      fields: ['name', 'modified', 'of', 'kind', { items: ['qty'] }],
      order_by: 'title asc',
    });
  });

  test('as CSV has one line for each child row, and one for a document without any', async () => {
    assert.equal(
      await written({}),
      `\uFEFFTitle,Items › Item,Items › Quantity,Notes › Text\r\n'=1+1,Lamp,2,first\r\n'=1+1,"Desk, oak",1,\r\nSecond,,,\r\n`,
    );
    assert.match(
      await written({ hasLabels: false, isGuarded: false }),
      /^\uFEFFtitle,items\.item,.*\r\n=1\+1,/,
    );
  });

  test('as JSON has child rows as arrays, or one object each', async () => {
    assert.deepEqual(JSON.parse(await written({ format: 'json' })), [
      {
        title: '=1+1',
        items: [
          { item: 'Lamp', qty: 2 },
          { item: 'Desk, oak', qty: 1 },
        ],
        notes: [{ text: 'first' }],
      },
      { title: 'Second', items: [], notes: [] },
    ]);
    const flat = JSON.parse(
      await written({ format: 'json', isNested: false, columns: pick('title', 'items.qty') }),
    );
    assert.deepEqual(flat, [
      { title: '=1+1', 'items.qty': 2 },
      { title: '=1+1', 'items.qty': 1 },
      { title: 'Second', 'items.qty': null },
    ]);
  });
});
