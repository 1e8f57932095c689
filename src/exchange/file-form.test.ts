import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOrders as read } from '../../test/support/read-orders.ts';
import { ServiceError } from '../kernel/errors.ts';

describe('the form of a file', () => {
  const umlauts = 'Customer Name;Total\r\nMüller €;1.234,50\r\nŁódź;2\r\n';
  const western = 'Customer Name;Total\r\nM\u00fcller \u0080;1.234,50\r\n';
  const ENCODED: readonly (readonly [string, Buffer, string, string])[] = [
    ['UTF-8', Buffer.from(umlauts), 'utf-8', 'Müller €'],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${umlauts}`), 'utf-8', 'Müller €'],
    ['UTF-16 LE with a mark', Buffer.from(`\uFEFF${umlauts}`, 'utf16le'), 'utf-16le', 'Müller €'],
    ['UTF-16 LE by its zeros', Buffer.from(umlauts, 'utf16le'), 'utf-16le', 'Müller €'],
    ['UTF-16 BE with a mark', Buffer.from(`\uFEFF${umlauts}`, 'utf16le').swap16(), 'utf-16be', 'Müller €'],
    ['UTF-16 BE by its zeros', Buffer.from(umlauts, 'utf16le').swap16(), 'utf-16be', 'Müller €'],
    ['Windows-1252', Buffer.from(western, 'latin1'), 'windows-1252', 'Müller €'],
    [
      'Windows-1252 far from the begin',
      Buffer.from(`Customer Name;Total\n${'plain;1\n'.repeat(20_000)}M\u00fcller \u0080;1\n`, 'latin1'),
      'windows-1252',
      'Müller €',
    ],
  ];
  for (const [what, bytes, encoding, name] of ENCODED) {
    test(`${what} is recognised`, async () => {
      const { form, values } = await read(bytes);
      assert.equal(form.encoding, encoding);
      assert.equal(form.delimiter, ';');
      assert.ok(values.some(({ customer }) => customer === name));
    });
  }

  const DELIMITED = [
    [',', 'Customer Name,Total\n"a;b;c",1\nx,2\n'],
    [';', 'Customer Name;Total\n"a, b";1,5\nx, y, z;2,5\n'],
    ['\t', 'Customer Name\tTotal\na, b; c\t1\n'],
    ['|', 'Customer Name|Total\na, b|1\n'],
    [',', 'Customer Name\nonly one column\n'],
  ] as const;
  for (const [delimiter, text] of DELIMITED) {
    test(`the delimiter ${JSON.stringify(delimiter)} of ${JSON.stringify(text)}`, async () => {
      assert.equal((await read(text)).form.delimiter, delimiter);
    });
  }

  test('the header is the row that names most fields, below titles', async () => {
    const { form, filled, values } = await read('Orders of May\n\nCustomer Name,Total\nJane,3\n');
    assert.equal(form.headerRow, 3);
    assert.deepEqual(filled, ['customer', 'total']);
    assert.deepEqual(values, [{ customer: 'Jane', total: '3' }]);
  });

  test('without a header, columns are filled by the shape of their values alone', async () => {
    const { form, columns } = await read('jane@example.com,Open,yes,x\njoe@example.com,Done,no,y\n');
    assert.equal(form.headerRow, 0);
    const found = columns.map(({ key, target, by }) => [key, target?.key, by]);
    assert.deepEqual(found, [
      ['#1', 'email', 'shape'],
      ['#2', 'state', 'shape'],
      ['#3', 'paid', 'shape'],
      ['#4', undefined, null],
    ]);
  });
});

describe('dates and decimals', () => {
  const LOCALES = [
    ['31.01.2026', '1.234,56', 'dmy', ',', '2026-01-31', []],
    ['31/01/2026', '1,234.56', 'dmy', '.', '2026-01-31', []],
    ['01/31/2026', '1234.5', 'mdy', '.', '2026-01-31', []],
    ['2026-01-31', "1'234.56", 'ymd', '.', '2026-01-31', []],
    ['2026-1-31', '€ 1 234,56', 'ymd', ',', '2026-01-31', []],
    ['01/02/2026', '1.234', 'dmy', '.', '2026-02-01', ['dates', 'decimal']],
  ] as const;
  for (const [day, total, dates, decimal, value, ambiguous] of LOCALES) {
    test(`${day} and ${total}`, async () => {
      const { form, values, ambiguous: open, bad } = await read(`Day|Total\n${day}|${total}\n`);
      assert.deepEqual(form.locale, { dates, decimal });
      assert.deepEqual(open, ambiguous);
      assert.deepEqual(bad, []);
      assert.equal(values[0]?.['day'], value);
      if (ambiguous.length === 0) assert.match(String(values[0]?.['total']), /^1234\.5/);
    });
  }

  test('one value that fits only one order decides, and a choice decides over all', async () => {
    const text = 'Day\n01/02/2026\n01/13/2026\n';
    assert.equal((await read(text)).values[0]?.['day'], '2026-01-02');
    const chosen = await read(text, { dates: 'dmy' });
    assert.equal(chosen.values[0]?.['day'], '2026-02-01');
    assert.deepEqual(chosen.bad, [
      {
        row: 3,
        column: 'Day',
        field: 'day',
        value: '01/13/2026',
        reason: 'Day must be a date as day/month/year, not "01/13/2026"',
      },
    ]);
  });

  test('semicolons speak for decimal commas where the values do not decide', async () => {
    const { form, values } = await read('Customer Name;Total\nJane;1.234\n');
    assert.equal(form.locale.decimal, ',');
    assert.equal(values[0]?.['total'], '1234');
  });

  test('a decimal point is refused where numbers have commas', async () => {
    const { bad, values } = await read('Total|Span\n"1,5"|"2,5"\n1.5|1.5\n', { decimal: ',' });
    assert.equal(values[0]?.['total'], '1.5');
    assert.deepEqual(
      bad.map(({ row, reason }) => [row, reason]),
      ['Total', 'Span'].map((label) => [3, `${label} must be a number with a decimal comma, not "1.5"`]),
    );
  });

  const CELLS: readonly (readonly [string, string, unknown])[] = [
    ...['yes', 'ja', 'TRUE', 'x', '1'].map((word) => ['Paid', word, word === '1' ? '1' : 1] as const),
    ...['no', 'nein', 'False', '0'].map((word) => ['Paid', word, word === '0' ? '0' : 0] as const),
    ['State', 'done', 'Done'],
    ['At', '31.01.2026 2:05 pm', '2026-01-31 14:05'],
    ['At', '2026-01-31T10:00:00Z', '2026-01-31 10:00:00Z'],
    ['Span', '1h 30m', 5_400],
    ['Customer Name', "'=1+1", '=1+1'],
    ['Customer Name', "''=1+1", "'=1+1"],
    ['Customer Name', "'quoted'", "'quoted'"],
    ['Document Status', 'Submitted', 1],
  ];
  for (const [head, cell, value] of CELLS) {
    test(`${head}: ${cell}`, async () => {
      const { values, bad } = await read(`${head}\n"${cell}"\n`);
      assert.deepEqual(bad, []);
      assert.deepEqual(Object.values(values[0] ?? {})[0], value);
    });
  }

  test('every bad cell is named, with its row, column, value and reason', async () => {
    const { bad } = await read('Day,Total,Count,Paid,State\n30.2.2026,a lot,1.5,perhaps,Lost\n');
    assert.deepEqual(
      bad.map(({ row, column, field, value }) => [row, column, field, value]),
      [
        [2, 'Day', 'day', '30.2.2026'],
        [2, 'Total', 'total', 'a lot'],
        [2, 'Count', 'count', '1.5'],
        [2, 'Paid', 'paid', 'perhaps'],
        [2, 'State', 'state', 'Lost'],
      ],
    );
    assert.match(bad[4]?.reason ?? '', /^State cannot be "Lost"\. It should be one of "Open", "Done"/);
  });
});

describe('a file that cannot be read is refused', () => {
  const REFUSED = [
    ['orders.csv', 'Customer Name,Total\n"Jane,1\n', 'Row 2: a quotation mark is never closed'],
    ['orders.pdf', '', 'The name orders.pdf does not tell a format: csv, xlsx, json or ndjson'],
    ['orders.csv', '', 'The file has no rows'],
    ['orders.json', '{"rows": []}', 'The file is not a JSON array, or an object with a list "data"'],
    ['orders.json', '[{"a": 1}', 'The file is not a JSON array, or an object with a list "data"'],
    ['orders.json', '[{"a": 1}, 2]', 'Element 2 is not an object'],
    ['orders.json', '[{"a": 1},]', 'Element 2 is not valid JSON'],
    ['orders.ndjson', '{"a": 1}\n{"a": }\n', 'Line 2 is not valid JSON'],
    ['orders.xlsx', 'PK nothing', 'The file is not an Excel workbook (.xlsx), or is damaged'],
    ['orders.csv', `${'a,'.repeat(1_001)}\n`, 'Row 1 has more than 1000 cells'],
  ] as const;
  for (const [name, text, message] of REFUSED) {
    test(message, async () => {
      await assert.rejects(read(text, { name }), new ServiceError('ValidationError', message));
    });
  }
});
