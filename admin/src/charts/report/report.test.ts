import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cellsOf,
  conditionOf,
  joined,
  nextPeriod,
  queryOf,
  reportOf,
  settingsOf,
  sourceOfView,
  valuesOf,
} from './report.ts';
import { filledRows, gridOf } from './report-grid.ts';

const SALES = {
  groups: [{ field: 'posting_date', by: 'month' }, { field: 'status' }],
  measures: [{ of: 'avg', field: 'total' }, { of: 'count' }],
  pivot: 1,
  chart: 'line',
  sort: { by: 1, desc: 1 },
};

test('settings become a report and settings again', () => {
  const report = reportOf(SALES);
  assert.deepEqual(report.groups, [
    { field: 'posting_date', by: 'month' },
    { field: 'status', by: null },
  ]);
  assert.equal(report.isPivot, true);
  assert.deepEqual(settingsOf(report), SALES);
});

test('what is no report becomes a count', () => {
  for (const wrong of [
    null,
    'x',
    [],
    { groups: 'a', measures: [{ of: 'product' }], sort: { by: 9 } },
    { groups: [{ field: 'a b' }] },
  ]) {
    const report = reportOf(wrong);
    assert.deepEqual(
      [report.groups, report.measures, report.sort.by],
      [[], [{ of: 'count', field: null }], 'group'],
    );
  }
  assert.equal(sourceOfView({ type: 'Board', reference_doctype: 'Sale' }), null);
});

test('a report asks for one row of each group, and for averages by their parts', () => {
  const query = queryOf({ doctype: 'Sale', filters: [['status', '!=', 'Draft']], report: reportOf(SALES) });
  assert.deepEqual(query, {
    fields: [
      'posting_date:month as g0',
      'status as g1',
      'sum(total) as v0',
      'count(total) as v1',
      'count(*) as v2',
    ],
    filters: [['status', '!=', 'Draft']],
    group_by: 'posting_date:month,status',
    order_by: 'count(*) desc',
    limit_page_length: 1_000,
  });
  const all = queryOf({ doctype: 'Sale', report: reportOf({}) });
  assert.deepEqual(all, { fields: ['count(*) as v0'], limit_page_length: 1_000 });
});

const REPORT = reportOf(SALES);
const CELLS = cellsOf(
  [
    { g0: '2026-01-01', g1: 'Paid', v0: 10, v1: 2, v2: 2 },
    { g0: '2026-01-01', g1: null, v0: 0.1, v1: 1, v2: 3 },
    { g0: '2026-03-01', g1: 'Paid', v0: 0.2, v1: 1, v2: 1 },
  ],
  REPORT,
);

const RESULT = { report: REPORT, cells: CELLS, options: [[], []] };

test('the average of joined groups is that of their documents', () => {
  const [first, , third] = CELLS;
  assert.ok(first && third);
  assert.deepEqual(valuesOf(first, REPORT.measures), [5, 2]);
  assert.deepEqual(valuesOf(joined(CELLS, [], REPORT.measures), REPORT.measures), [10.3 / 4, 6]);
  assert.deepEqual(valuesOf(joined([], [], REPORT.measures), REPORT.measures), [null, 0]);
});

test('a pivot has the second group in columns, and totals', () => {
  const grid = gridOf(RESULT);
  assert.deepEqual(
    grid.columns.map(({ value, measure }) => [value, measure]),
    [
      ['Paid', 0],
      ['Paid', 1],
      [null, 0],
      [null, 1],
      [undefined, 0],
      [undefined, 1],
    ],
  );
  // By the count, the largest first.
  assert.deepEqual(grid.rows, [
    { keys: ['2026-01-01'], values: [5, 2, 0.1, 3, 10.1 / 3, 5] },
    { keys: ['2026-03-01'], values: [0.2, 1, null, null, 0.2, 1] },
  ]);
  assert.deepEqual(grid.totals, [10.2 / 3, 3, 0.1, 3, 10.3 / 4, 6]);
  assert.equal(gridOf({ ...RESULT, report: { ...REPORT, isPivot: false } }).rows.length, 3);
});

test('an axis of time has the months without documents, too', () => {
  const rows = filledRows(gridOf(RESULT).rows, 'month', 1);
  assert.deepEqual(
    rows.map(({ keys }) => keys[0]),
    ['2026-01-01', '2026-02-01', '2026-03-01'],
  );
  assert.deepEqual(filledRows([], 'month', 1), []);
});

test('a group leads to the documents in it', () => {
  const [byMonth, status] = REPORT.groups;
  assert.ok(byMonth && status);
  assert.deepEqual(conditionOf(byMonth, '2028-02-01'), [
    'posting_date',
    'between',
    ['2028-02-01', '2028-02-29'],
  ]);
  assert.deepEqual(conditionOf({ field: 'due', by: 'quarter' }, '2026-10-01'), [
    'due',
    'between',
    ['2026-10-01', '2026-12-31'],
  ]);
  assert.deepEqual(conditionOf(status, null), ['status', 'is', 'not set']);
  assert.deepEqual(conditionOf(status, 'Paid'), ['status', '=', 'Paid']);
  assert.equal(nextPeriod('2026-12-27', 'week'), '2027-01-03');
  // The first and the last periods of the calendar.
  const ends = [
    ['0001-01-01', 'week', '0001-01-07', '0001-01-06'],
    ['9999-12-26', 'week', '', ''],
    ['9999-12-01', 'month', '', '9999-12-31'],
    ['9999-01-01', 'year', '', '9999-12-31'],
  ] as const;
  for (const [first, by, next, last] of ends) {
    assert.deepEqual([nextPeriod(first, by), nextPeriod(first, by, -1)], [next, last], `${first} ${by}`);
  }
});
