/** Workbooks that the admin UI exports, read from their XML. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeField } from '../admin/src/meta/standard-fields.ts';
import { xlsxBytes } from '../admin/src/screens/list/export/xlsx.ts';
import { readXlsx, type XlsxCell } from './support/read-xlsx.ts';

const columnsOf = (fieldtypes: readonly string[]) =>
  fieldtypes.map((fieldtype, at) => ({
    key: `f${at}`,
    label: fieldtype,
    field: makeField({ fieldname: `f${at}`, fieldtype }),
    table: null,
    beside: null,
  }));

async function workbook(
  fieldtypes: readonly string[],
  lines: readonly (readonly unknown[])[],
  title = 'Bill',
) {
  async function* all() {
    yield* lines;
  }
  const parts: Uint8Array[] = [];
  for await (const bytes of xlsxBytes(all(), columnsOf(fieldtypes), fieldtypes, title)) parts.push(bytes);
  return readXlsx(Buffer.concat(parts));
}

const told = ({ type, value, format }: XlsxCell) => [type, value, format];

test('dates, times and numbers are numbers with a format, and the rest is text', async () => {
  const types = ['Data', 'Date', 'Datetime', 'Time', 'Currency', 'Percent', 'Int', 'Check', 'Select'];
  const line = ['A', '2026-01-05', '2026-01-05 12:00:00.000001', '06:00:00', 12.5, 12.5, 7, 1, 'Open'];
  const { sheet, rows } = await workbook(types, [line]);
  assert.equal(sheet, 'Bill');
  assert.deepEqual(
    rows[0]?.map(({ value }) => value),
    types,
  );
  assert.deepEqual(rows[1]?.map(told), [
    ['inlineStr', 'A', null],
    ['n', '46027', 'yyyy-mm-dd'],
    ['n', '46027.5', 'yyyy-mm-dd hh:mm:ss'],
    ['n', '0.25', 'hh:mm:ss'],
    ['n', '12.5', '#,##0.00'],
    ['n', '12.5', '0.00"%"'],
    ['n', '7', null],
    ['b', '1', null],
    ['inlineStr', 'Open', null],
  ]);
});

test('no text is a formula, and none makes a file that Excel refuses', async () => {
  const texts = ['=1+1', '@x', '<b>&"', 'a\u0001\u000b', 'x'.repeat(40_000)];
  const { sheet, rows } = await workbook(
    texts.map(() => 'Data'),
    [texts],
    "it's: a/very [long] name of a sheet",
  );
  assert.equal(sheet, "it's  a very  long  name of a s");
  const values = rows[1]?.map(({ type, value }) => [type, value.slice(0, 20), value.length]);
  assert.deepEqual(values, [
    ['inlineStr', '=1+1', 4],
    ['inlineStr', '@x', 2],
    ['inlineStr', '<b>&"', 5],
    ['inlineStr', 'a_x0001__x000B_', 15],
    ['inlineStr', 'x'.repeat(20), 32_767],
  ]);
});

test('a number that a spreadsheet would round, and a date before its calendar, stay texts', async () => {
  const { rows } = await workbook(['Int', 'Date', 'Float'], [['9007199254740993', '1899-12-31', null]]);
  assert.deepEqual(rows[1]?.slice(0, 2).map(told), [
    ['inlineStr', '9007199254740993', null],
    ['inlineStr', '1899-12-31', 'yyyy-mm-dd'],
  ]);
});
