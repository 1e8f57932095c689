import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { readContext } from '../../src/document/context.ts';
import { listDocumentsText } from '../../src/document/list/list.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { ListParameters } from '../../src/query/list-query.ts';
import { describeSite } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { wholeText } from '../support/list-text.ts';
import { memorySite, OTHER_STAFF, STAFF } from '../support/memory-site.ts';

const STAFF_RIGHTS = { role: 'Staff', read: 1, write: 1, create: 1 };
const DOCTYPES = [
  {
    name: 'Region',
    autoname: 'field:title',
    permissions: [{ ...STAFF_RIGHTS, if_owner: 1 }],
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'head', fieldtype: 'Data' },
      { fieldname: 'budget', fieldtype: 'Float', permlevel: 1 },
    ],
  },
  {
    name: 'Sale Row',
    istable: 1,
    fields: [
      { fieldname: 'item', fieldtype: 'Data' },
      { fieldname: 'qty', fieldtype: 'Int' },
      { fieldname: 'cost', fieldtype: 'Float', permlevel: 1 },
    ],
  },
  {
    name: 'Sale',
    autoname: 'field:title',
    permissions: [STAFF_RIGHTS],
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'status', fieldtype: 'Data' },
      { fieldname: 'region', fieldtype: 'Link', options: 'Region' },
      { fieldname: 'total', fieldtype: 'Currency' },
      { fieldname: 'count', fieldtype: 'Int' },
      { fieldname: 'due', fieldtype: 'Date' },
      { fieldname: 'margin', fieldtype: 'Float', permlevel: 1 },
      { fieldname: 'pin', fieldtype: 'Password' },
      { fieldname: 'rows', fieldtype: 'Table', options: 'Sale Row' },
      { fieldname: 'extras', fieldtype: 'Table', options: 'Sale Row' },
    ],
  },
];

const SALES = [
  {
    title: 'a',
    status: 'Open',
    region: 'North',
    total: 0.1,
    count: 1,
    due: '2026-01-01',
    rows: [
      ['pen', 2],
      ['ink', 1],
    ],
  },
  { title: 'b', status: 'Open', region: 'South', total: 0.2, count: 2, due: null, rows: [['pen', 5]] },
  { title: 'c', status: 'Paid', region: null, total: 1e6, count: 3, due: '2025-01-01', rows: [] },
  {
    title: 'd',
    status: null,
    region: 'North',
    total: 0,
    count: 9_007_199_254_740_991,
    due: null,
    rows: [['ink', 4]],
  },
] as const;

describeSite('aggregates, groups and fields elsewhere', memorySite({ doctypes: DOCTYPES }), (site) => {
  before(async () => {
    const create = (doctype: string, fields: Record<string, unknown>, user = STAFF) =>
      site.run((ctx) => createDocument(ctx, doctype, fields), user);
    await create('Region', { title: 'North', head: 'Ann' });
    await create('Region', { title: 'South', head: 'Bob' }, OTHER_STAFF);
    for (const { rows, ...sale } of SALES) {
      await create('Sale', { ...sale, rows: rows.map(([item, qty]) => ({ item, qty })) }, ADMINISTRATOR);
    }
  });

  const list = async (parameters: ListParameters, user = STAFF) =>
    JSON.parse(
      await wholeText(
        listDocumentsText(readContext(site, user), 'Sale', { order_by: 'name', ...parameters }),
      ),
    );
  // As arrays, which also shows the order of the columns.
  const arrays = (parameters: ListParameters, user = STAFF) => list({ ...parameters, as_dict: 0 }, user);
  const none = { order_by: '' };

  test('groups with aggregates, as text and as objects', async () => {
    const counts = [
      { status: null, n: 1 },
      { status: 'Open', n: 2 },
      { status: 'Paid', n: 1 },
    ];
    for (const count of [
      'count(name) as n',
      'COUNT( * ) as n',
      { COUNT: '*', as: 'n' },
      { count: 'name', as: 'n' },
    ]) {
      assert.deepEqual(await list({ fields: ['status', count], group_by: 'status', ...none }), counts);
    }
    assert.deepEqual(
      await arrays({
        fields: ['sum(total)', 'avg(total)', 'min(due)', 'max(title) as last', { SUM: 'count' }, 'status'],
        group_by: '`tabSale`.`status`',
        order_by: 'sum(total) desc, status',
      }),
      [
        [1e6, 1e6, '2025-01-01', 'c', 3, 'Paid'],
        [0.3, 0.15, '2026-01-01', 'b', 3, 'Open'],
        [0, 0, null, 'd', 9_007_199_254_740_991, null],
      ],
    );
    assert.deepEqual(await list({ fields: ['sum(total)'], ...none }), [{ 'sum(total)': 1000000.3 }]);
  });

  test('one row of aggregates when there are no groups, even of no documents', async () => {
    const filters = { name: 'nothing' };
    assert.deepEqual(
      await arrays({ fields: ['count(name)', 'sum(total)', 'avg(count)'], filters, ...none }),
      [[0, null, null]],
    );
    assert.deepEqual(await arrays({ fields: ['count(distinct status) as s', 'count(due) as d'], ...none }), [
      [2, 2],
    ]);
  });

  test('dates in groups by their periods', async () => {
    const by = (period: string, more: ListParameters = {}) =>
      arrays({ fields: [`due:${period} as d`, 'count(*)'], group_by: `due:${period}`, ...none, ...more });
    assert.deepEqual(await by('day'), [
      [null, 2],
      ['2025-01-01', 1],
      ['2026-01-01', 1],
    ]);
    // Both are in the week that began on Sunday, the days before the year.
    assert.deepEqual(await by('week', { order_by: 'd desc' }), [
      ['2025-12-28', 1],
      ['2024-12-29', 1],
      [null, 2],
    ]);
    assert.deepEqual(await list({ fields: ['due:Year'], group_by: 'due:year', order_by: 'due:year' }), [
      { 'due:Year': null },
      { 'due:Year': '2025-01-01' },
      { 'due:Year': '2026-01-01' },
    ]);
    assert.deepEqual(await arrays({ fields: ['due:month'], distinct: 1, ...none }), [
      [null],
      ['2025-01-01'],
      ['2026-01-01'],
    ]);
    await refused(by('decade'), 'DataError');
    await refused(list({ fields: ['due:month'] }), 'ValidationError');
    await refused(list({ fields: ['due', 'count(*)'], group_by: 'due:month', ...none }), 'ValidationError');
    await refused(list({ fields: ['count(*)'], group_by: 'status:month', ...none }), 'ValidationError');
    await refused(list({ filters: [['due:month', '=', '2026-01-01']] }), 'DataError');
    await refused(list({ order_by: 'due:month' }), 'DataError');
  });

  test('order by a name that the request gave, pages, distinct', async () => {
    const fields = ['status', 'count(name) as n'];
    assert.deepEqual(await arrays({ fields, group_by: 'status', order_by: 'n desc', limit: 2 }), [
      ['Open', 2],
      ['Paid', 1],
    ]);
    assert.deepEqual(await arrays({ fields, group_by: 'status', order_by: 'n desc', limit_start: 2 }), [
      [null, 1],
    ]);
    assert.deepEqual(await arrays({ fields: ['title as t'], order_by: 't desc', limit: 1 }), [['d']]);
    assert.deepEqual(await arrays({ fields: ['status'], distinct: 1, ...none }), [
      [null],
      ['Open'],
      ['Paid'],
    ]);
    for (const fields of [['distinct status'], 'DISTINCT  `status`', ['Distinct status as status']]) {
      assert.deepEqual(await list({ fields, ...none }), [
        { status: null },
        { status: 'Open' },
        { status: 'Paid' },
      ]);
    }
    await refused(list({ fields: ['status', 'distinct due'] }), 'DataError');
    await refused(list({ fields: ['distinct margin'] }), 'DataError');
    assert.deepEqual(await arrays({ fields: ['name'], distinct: 'true' }), [['a'], ['b'], ['c'], ['d']]);
  });

  test('a row for each child row, only those that the filters keep', async () => {
    assert.deepEqual(await arrays({ fields: ['name', 'rows.item', 'rows.qty as q'] }), [
      ['a', 'pen', 2],
      ['a', 'ink', 1],
      ['b', 'pen', 5],
      ['c', null, null],
      ['d', 'ink', 4],
    ]);
    const filters = [['rows.item', '=', 'pen']];
    assert.deepEqual(await arrays({ fields: ['name', 'rows.qty'], filters }), [
      ['a', 2],
      ['b', 5],
    ]);
    assert.deepEqual(
      await arrays({
        fields: ['rows.item', 'sum(rows.qty) as q'],
        group_by: 'rows.item',
        order_by: 'q desc',
      }),
      [
        ['pen', 7],
        ['ink', 5],
        [null, null],
      ],
    );
  });

  test('fields behind a link, null where the user may not look', async () => {
    const fields = ['name', 'region.head', 'region.name'];
    const all = [
      ['a', 'Ann', 'North'],
      ['b', 'Bob', 'South'],
      ['c', null, null],
      ['d', 'Ann', 'North'],
    ];
    assert.deepEqual(await arrays({ fields }, ADMINISTRATOR), all);
    const seen = all.map((row) => (row[0] === 'b' ? ['b', null, null] : row));
    assert.deepEqual(await arrays({ fields }), seen);
    assert.deepEqual(Object.keys((await list({ fields }))[0]), ['name', 'head', 'region.name']);
    assert.deepEqual(await arrays({ order_by: 'region.head desc' }, ADMINISTRATOR), [
      ['b'],
      ['d'],
      ['a'],
      ['c'],
    ]);
    assert.deepEqual(await arrays({ order_by: 'region.head desc' }), [['d'], ['a'], ['c'], ['b']]);
    assert.deepEqual(
      await arrays({
        fields: ['region.head', 'count(*) as n'],
        group_by: 'region.head',
        order_by: 'n, head',
      }),
      [
        [null, 2],
        ['Ann', 2],
      ],
    );
  });

  test('child tables as arrays, links as documents', async () => {
    assert.deepEqual(await list({ fields: ['name', { rows: ['item', 'qty'] }], limit: 2, limit_start: 1 }), [
      { name: 'b', rows: [{ item: 'pen', qty: 5 }] },
      { name: 'c', rows: [] },
    ]);
    const [first] = await list({ fields: ['rows as lines', 'extras'] });
    assert.deepEqual(
      first.lines.map(({ item, idx, parent }: Record<string, unknown>) => [item, idx, parent]),
      [
        ['pen', 1, 'a'],
        ['ink', 2, 'a'],
      ],
    );
    assert.ok(!('cost' in first.lines[0]));
    assert.deepEqual(first.extras, []);
    const expanded = await list({ fields: ['name', 'region as r'], expand: '["region"]' });
    assert.equal(expanded[0].r.head, 'Ann');
    assert.ok(!('budget' in expanded[0].r));
    // South is not the user's to read: the link is.
    assert.deepEqual([expanded[1].r, expanded[2].r], ['South', null]);
  });

  test('unknown and unreadable fields are refused alike, whatever they are used for', async () => {
    const word = (name: string): ListParameters[] => [
      { fields: [`sum(${name})`] },
      { fields: [{ MAX: name }] },
      { fields: ['count(*)'], group_by: name },
      { fields: ['count(*)'], group_by: `${name}:month` },
      { fields: ['count(*) as n', 'status'], group_by: 'status', order_by: `sum(${name})` },
      { fields: [`region.${name}`] },
      { order_by: `region.${name}` },
      { fields: [`rows.${name}`] },
      { fields: [{ rows: [name] }] },
      { expand: [name] },
    ];
    for (const name of ['margin', 'budget', 'cost', 'pin', 'nonsense', "x'); --"]) {
      for (const parameters of word(name)) {
        await refused(list(parameters), 'DataError', /^Field not permitted in query: /);
      }
    }
  });

  test('combinations without meaning are refused', async () => {
    const cases: [ListParameters, RegExp][] = [
      [{ fields: ['title', 'count(*)'] }, /title must be in group_by/],
      [{ fields: ['title', 'status'], group_by: 'status' }, /title must be in group_by/],
      [{ fields: ['rows'], group_by: 'status' }, /rows must be in group_by/],
      [{ fields: ['rows.item', 'extras.item as e'] }, /only one child table/],
      [{ fields: ['sum(title)'] }, /title is not numeric/i],
      [
        { fields: Array.from({ length: LIMITS.linkedFields + 1 }, (_, n) => `region.head as h${n}`) },
        /At most 20/,
      ],
      [{ group_by: Array(LIMITS.groupTerms + 1).fill('status') }, /At most 20/],
    ];
    for (const [parameters, message] of cases) {
      await refused(list({ ...none, ...parameters }), 'ValidationError', message);
    }
    await refused(list({ order_by: 'rows.item' }), 'DataError', /rows.item/);
    await refused(
      list({ fields: ['count(*) as n', 'status'], group_by: 'status', order_by: 'title' }),
      'DataError',
      /title/,
    );
  });

  test('the first and the last days of the calendar in groups by their periods', async () => {
    const days: readonly (readonly [due: string, period: string, first: string])[] = [
      ['0001-01-01', 'week', '0001-01-01'],
      ['0001-01-06', 'week', '0001-01-01'],
      ['0001-01-07', 'week', '0001-01-07'],
      ['0001-03-31', 'quarter', '0001-01-01'],
      ['9999-12-31', 'week', '9999-12-26'],
      ['9999-12-31', 'year', '9999-01-01'],
    ];
    for (const [index, [due, period, first]] of days.entries()) {
      const title = `day ${index}`;
      await site.run((ctx) => createDocument(ctx, 'Sale', { title, due }), ADMINISTRATOR);
      const [[found]] = await arrays({
        fields: [`due:${period}`],
        group_by: `due:${period}`,
        filters: { title },
        ...none,
      });
      assert.equal(found, first, `${due} ${period}`);
    }
  });
});
