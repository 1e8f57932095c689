import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR, type CurrentUser, currentUser } from '../../src/access/user.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import { compileList } from '../../src/query/compile-list.ts';
import type { ListParameters } from '../../src/query/list-query.ts';
import { parseListQuery } from '../../src/query/parse-list-query.ts';
import { presentRows } from '../../src/query/present-rows.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { fill, openTables } from '../support/tables.ts';

const line = parseDoctype({
  name: 'Cart Line',
  istable: 1,
  fields: [
    { fieldname: 'item', fieldtype: 'Data' },
    { fieldname: 'qty', fieldtype: 'Int' },
  ],
});
const buyer = parseDoctype({
  name: 'Buyer',
  fields: [
    { fieldname: 'city', fieldtype: 'Data' },
    { fieldname: 'age', fieldtype: 'Int' },
    { fieldname: 'since', fieldtype: 'Date' },
  ],
  permissions: [{ role: 'All', read: 1, if_owner: 1 }],
});
const cart = parseDoctype({
  name: 'Cart',
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'opened', fieldtype: 'Datetime' },
    { fieldname: 'closes', fieldtype: 'Time' },
    { fieldname: 'buyer', fieldtype: 'Link', options: 'Buyer' },
    { fieldname: 'lines', fieldtype: 'Table', options: 'Cart Line' },
    { fieldname: 'gifts', fieldtype: 'Table', options: 'Cart Line' },
  ],
  permissions: [{ role: 'All', read: 1 }],
});
const registry = buildRegistry([cart, line, buyer], 1);
const ANN = currentUser('ann@example.com', []);

describeEngines('filter paths', (engine) => {
  const tables = useStarted(() => openTables(engine, [cart, line, buyer]));
  before(async () => {
    await tables.database.transaction(async (connection) => {
      await fill(connection, buyer, [
        { name: 'old', owner: 'ann@example.com', city: 'Rome', age: 70, since: '2001-01-01' },
        { name: 'new', owner: 'bob@example.com', city: null, age: 0, since: null },
      ]);
      await fill(connection, cart, [
        {
          name: 'a',
          title: 'first',
          buyer: 'old',
          opened: '2026-03-15 10:00:00.123456',
          closes: '18:30:00.000000',
        },
        { name: 'b', title: null, buyer: 'new', opened: null, closes: null },
        {
          name: 'c',
          title: '',
          buyer: null,
          opened: '2026-03-16 00:00:00.000000',
          closes: '09:05:07.250000',
        },
        { name: 'd', title: 'lost', buyer: 'gone', opened: null, closes: null },
      ]);
      const row = (
        name: string,
        parent: string,
        parentfield: string,
        item: string | null,
        qty: number,
        parenttype = 'Cart',
      ) => ({ name, parent, parenttype, parentfield, item, qty });
      await fill(connection, line, [
        row('1', 'a', 'lines', 'pen', 1),
        row('2', 'a', 'lines', 'ink', 9),
        row('3', 'b', 'lines', null, 5),
        row('4', 'b', 'gifts', 'pen', 5),
        row('5', 'c', 'lines', 'pen', 5, 'Other'),
      ]);
    });
  });

  async function list(parameters: ListParameters, user: CurrentUser = ADMINISTRATOR) {
    const scope = { registry, user, now: () => '2026-03-16 08:00:00.000000' };
    const query = parseListQuery(cart, { order_by: 'name', ...parameters }, scope);
    const statement = compileList(query, null, tables.database.dialect, {
      output: 'rows',
      wholeSeconds: true,
    });
    return presentRows(query, await tables.database.reader.all(statement));
  }

  async function names(filters: unknown, user?: CurrentUser): Promise<string> {
    return (await list({ filters, as_dict: false }, user)).join('');
  }

  const cases: [unknown, string][] = [
    [[['lines.item', '=', 'pen']], 'a'],
    [[['gifts.item', '=', 'pen']], 'b'],
    [[['Cart Line', 'item', '=', 'pen']], 'ab'],
    [[['lines.item', '!=', 'pen']], 'ab'],
    [[['lines.item', 'is', 'not set']], 'b'],
    [
      [
        ['lines.item', '=', 'pen'],
        ['lines.qty', '>', 5],
      ],
      '',
    ],
    [
      [
        ['lines.item', '=', 'ink'],
        ['lines.qty', '>', 5],
      ],
      'a',
    ],
    [
      [
        ['lines.item', '=', 'pen'],
        ['gifts.qty', '=', 5],
      ],
      '',
    ],
    [[['Cart Line', 'qty', 'in', [5, 9]]], 'ab'],
    [[['lines.parent', 'like', 'A']], 'a'],
    [[['buyer.city', '=', 'Rome']], 'a'],
    [[['buyer.city', '!=', 'Rome']], 'bcd'],
    [[['buyer.city', 'is', 'not set']], 'bcd'],
    [[['buyer.city', 'like', 'r%']], 'a'],
    [[['buyer.city', 'not like', 'r%']], 'bcd'],
    [[['buyer.age', '=', 0]], 'b'],
    [[['buyer.age', 'is', 'set']], 'ab'],
    [[['buyer.age', '!=', 70]], 'bcd'],
    [[['buyer.age', 'not in', [70]]], 'bcd'],
    [[['buyer.age', '<', 5]], 'bcd'],
    [[['buyer.since', '>', '2000-01-01']], 'a'],
    [[['buyer.name', '=', 'gone']], ''],
    [[['opened', '=', '2026-03-15 10:00:00']], 'a'],
    [[['opened', 'between', ['2026-03-15']]], 'ac'],
    [[['opened', 'in', ['2026-03-15 10:00:00', null]]], 'abd'],
    [[['opened', 'like', '%03-16 00:00%']], 'c'],
    [[['title', 'in', ['']]], 'bc'],
    [[['title', 'not in', 'first, lost']], 'bc'],
  ];
  for (const [filters, expected] of cases) {
    test(`${JSON.stringify(filters)} finds ${expected || 'nothing'}`, async () =>
      assert.equal(await names(filters), expected));
  }

  test('a link shows nothing of a document that its reader may not see', async () => {
    assert.equal(await names([['buyer.city', '=', 'Rome']], ANN), 'a');
    assert.equal(await names([['buyer.age', '=', 0]], ANN), '');
    assert.equal(await names([['buyer.age', '=', 70]], currentUser('bob@example.com', [])), '');
  });

  test('pages neither skip nor repeat, and names of the request’s choosing come back', async () => {
    const pages = await Promise.all(
      [0, 1, 2, 3, 4].map((limit_start) =>
        list({ fields: ['name as n', 'title'], order_by: 'docstatus', limit_start, limit: 1 }),
      ),
    );
    assert.deepEqual(
      pages.flat().map((row) => 'n' in row && row.n),
      ['a', 'b', 'c', 'd'],
    );
    assert.deepEqual(
      await list({ fields: 'count(name) as total_count', filters: { buyer: ['is', 'set'] } }),
      [{ total_count: 3 }],
    );
  });

  test('times leave cut to seconds', async () => {
    const rows = await list({ fields: ['opened', 'closes'], as_dict: 0 });
    assert.deepEqual(rows, [
      ['2026-03-15 10:00:00', '18:30:00'],
      [null, null],
      ['2026-03-16 00:00:00', '09:05:07'],
      [null, null],
    ]);
  });
});
