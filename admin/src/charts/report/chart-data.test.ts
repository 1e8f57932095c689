import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Meta } from '../../meta/meta.ts';
import { makeField } from '../../meta/standard-fields.ts';
import { colorsOf } from './chart-colors.ts';
import { chartData, slicesOf } from './chart-data.ts';
import { cellsOf, reportOf } from './report.ts';
import { gridOf } from './report-grid.ts';

const STATES = ['Open', 'Replied', 'Resolved', 'Closed'];
const FIELDS = [
  makeField({ fieldname: 'status', fieldtype: 'Select', options: STATES.join('\n') }),
  makeField({ fieldname: 'customer', fieldtype: 'Data' }),
  makeField({ fieldname: 'due', fieldtype: 'Date' }),
];
const META = {
  name: 'Task',
  fields: FIELDS,
  fieldByName: new Map(FIELDS.map((field) => [field.fieldname, field])),
} as unknown as Meta;

function resultOf(settings: object, rows: readonly Record<string, unknown>[]) {
  const report = reportOf(settings);
  return {
    meta: META,
    report,
    cells: cellsOf(rows, report),
    options: report.groups.map(({ field }) => (field === 'status' ? STATES : [])),
    isCut: false,
    titleOf: () => undefined,
  };
}

const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, one) => sum + (one ?? 0), 0);
const CUSTOMERS = Array.from({ length: 40 }, (_, at) => `Customer ${at}`);

test('the groups without a bar are one bar, so that all bars add up to the total', () => {
  const result = resultOf(
    { groups: [{ field: 'customer' }], sort: { by: 0, desc: 1 } },
    CUSTOMERS.map((g0, at) => ({ g0, v0: 100 - at })),
  );
  const { categories, series } = chartData(result);
  assert.equal(categories.length, 30);
  assert.equal(categories.at(-1)?.label, 'Other (11)');
  assert.equal(categories.at(-1)?.value, undefined);
  assert.equal(sumOf(series[0]?.values ?? []), gridOf(result).totals[0]);
  const slices = slicesOf(result);
  assert.deepEqual([slices.length, slices.at(-1)?.label], [8, 'Other (33)']);
  assert.equal(sumOf(slices.map(({ amount }) => amount)), gridOf(result).totals[0]);
});

test('a stack has all values of the second group, the small ones as one', () => {
  const result = resultOf(
    { groups: [{ field: 'due', by: 'month' }, { field: 'customer' }], chart: 'stacked' },
    CUSTOMERS.map((g1, at) => ({ g0: at % 2 ? '2026-01-01' : '2026-03-01', g1, v0: at + 1 })),
  );
  const { categories, series, isStackable } = chartData(result);
  assert.deepEqual(
    categories.map(({ value }) => value),
    ['2026-01-01', '2026-02-01', '2026-03-01'],
  );
  assert.deepEqual([series.length, series.at(-1)?.label, isStackable], [8, 'Other (33)', true]);
  assert.equal(sumOf(series.flatMap(({ values }) => values)), sumOf(CUSTOMERS.map((_, at) => at + 1)));
  assert.equal(categories[0]?.total, sumOf(series.map(({ values }) => values[0] ?? null)));
});

test('an average of other groups is that of their documents, and never a part of a whole', () => {
  const settings = { groups: [{ field: 'customer' }], measures: [{ of: 'avg', field: 'fee' }] };
  const result = resultOf(
    { ...settings, chart: 'donut' },
    CUSTOMERS.map((g0, at) => ({ g0, v0: 10 * (at + 1), v1: at < 29 ? 1 : 2 })),
  );
  assert.equal(result.report.chart, 'bar');
  const { series, isStackable } = chartData(result);
  const others = CUSTOMERS.map((_, at) => 10 * (at + 1)).slice(29);
  assert.equal(series[0]?.values.at(-1), sumOf(others) / 22);
  assert.equal(isStackable, false);
});

test('options are in their order and have the same colour in each chart', () => {
  const rows = ['Closed', null, 'Open', 'Resolved', 'Retired'].map((g0, at) => ({ g0, v0: at + 1 }));
  const all = chartData(resultOf({ groups: [{ field: 'status' }] }, rows));
  assert.deepEqual(
    all.categories.map(({ label }) => label),
    ['Open', 'Resolved', 'Closed', 'Retired', 'Not set'],
  );
  const some = chartData(resultOf({ groups: [{ field: 'status' }] }, rows.slice(0, 1)));
  const colorOf = ({ categories }: typeof all, name: string) =>
    categories.find(({ value }) => value === name)?.color;
  assert.equal(colorOf(some, 'Closed'), colorOf(all, 'Closed'));
  assert.deepEqual(
    slicesOf(resultOf({ groups: [{ field: 'status' }], sort: { by: 'group', desc: 1 } }, rows)).map(
      ({ label }) => label,
    ),
    ['Not set', 'Retired', 'Closed', 'Resolved', 'Open'],
  );
  assert.equal(new Set(colorsOf([...STATES, null, 'a', 'b', undefined], STATES)).size, 8);
});

test('a chart of several measures has those of one kind', () => {
  const measures = [{ of: 'sum', field: 'fee' }, { of: 'count' }, { of: 'sum', field: 'tip' }];
  const { series } = chartData(
    resultOf({ groups: [{ field: 'customer' }], measures }, [{ g0: 'A', v0: 5, v1: 2, v2: -1 }]),
  );
  assert.deepEqual(
    series.map(({ values }) => values),
    [[5], [-1]],
  );
});

test('a time axis tells of documents without a date', () => {
  const rows = [
    { g0: null, v0: 1 },
    { g0: '2026-01-01', v0: 2 },
  ];
  const { categories, hasUndated } = chartData(resultOf({ groups: [{ field: 'due', by: 'month' }] }, rows));
  assert.deepEqual([categories.length, hasUndated], [1, true]);
});
