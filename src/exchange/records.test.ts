import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOrders as read } from '../../test/support/read-orders.ts';
import { ServiceError } from '../kernel/errors.ts';
import { REASON_HEAD } from './match-columns.ts';

describe('columns', () => {
  test('are matched by fieldname, label, and all forms of a column of child rows', async () => {
    const heads = [
      'ID',
      'customer name *',
      'TOTAL',
      'Items / Item Code',
      'Quantity (Items)',
      'items.note',
      'Note',
      'fixed',
      REASON_HEAD,
    ];
    const { filled } = await read(`${heads.join(',')}\nA,B,1,C,2,D,E,F,G\n`);
    assert.deepEqual(filled, [
      'name',
      'customer',
      'total',
      'items.item_code',
      'items.qty',
      'items.note',
      'note',
      null,
      null,
    ]);
  });

  test('a label of a child field that the document does not have needs no table', async () => {
    assert.deepEqual((await read('Customer Name,Item Code\na,b\n')).filled, ['customer', 'items.item_code']);
  });

  test('a mapping decides, also to leave a column out', async () => {
    const mapping = { Who: 'customer', Note: '', '#3': 'Items / Quantity' };
    assert.deepEqual((await read('Who,Note,\na,b,2\n', { mapping })).filled, ['customer', null, 'items.qty']);
  });

  const REFUSED = [
    [{ Who: 'nobody' }, 'Column Who cannot fill nobody: there is no such field'],
    [{ Who: 'total', Note: 'total' }, 'Columns Who and Note both fill total'],
    [{ Who: 'fixed' }, 'Column Who cannot fill fixed: there is no such field'],
  ] as const;
  for (const [mapping, message] of REFUSED) {
    test(message, async () => {
      await assert.rejects(
        read('Who,Note\na,b\n', { mapping }),
        new ServiceError('ValidationError', message),
      );
    });
  }
});

describe('child rows', () => {
  test('belong to the document above, or to the one whose name they repeat', async () => {
    const text = [
      'ID,Customer Name,Items / Item Code,Items / Quantity',
      'A,Jane,lamp,1',
      ',,desk,2',
      ',,,',
      'B,Joe,chair,3',
      'B,Joe,sofa,4',
      'C,Eve,,',
    ];
    const { values, records, bad } = await read(text.join('\n'));
    assert.deepEqual(bad, []);
    assert.deepEqual(
      values.map(({ name, items }) => [
        name,
        (items as { item_code: string }[]).map(({ item_code }) => item_code),
      ]),
      [
        ['A', ['lamp', 'desk']],
        ['B', ['chair', 'sofa']],
        ['C', []],
      ],
    );
    assert.deepEqual(records[0]?.places.get('items'), [2, 3]);
  });

  test('without a document above are refused', async () => {
    const { bad } = await read('Customer Name,Items / Item Code\n,lamp\n');
    assert.deepEqual(
      bad.map(({ row, reason }) => [row, reason]),
      [[2, 'There is no document above that this row belongs to']],
    );
  });
});

describe('JSON', () => {
  const docs = [
    { name: 'A', customer: 'Jane "J"', items: [{ item_code: 'a]b', qty: 1.5 }], other: { deep: [1] } },
    { name: 'B', Total: '2', items: [] },
  ];
  const WRITTEN = [
    ['an array', 'orders.json', JSON.stringify(docs, null, 2)],
    ['an object with data', 'orders.json', JSON.stringify({ data: docs })],
    ['lines', 'orders.ndjson', docs.map((doc) => JSON.stringify(doc)).join('\r\n')],
  ] as const;
  for (const [what, name, text] of WRITTEN) {
    test(`${what}: child rows are lists, and keys are matched wherever they first occur`, async () => {
      const { values, bad } = await read(text, { name });
      assert.deepEqual(bad, []);
      assert.deepEqual(values, [
        { name: 'A', customer: 'Jane "J"', items: [{ item_code: 'a]b', qty: 1.5 }] },
        { name: 'B', total: '2', items: [] },
      ]);
    });
  }
});
