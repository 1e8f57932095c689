/** Aggregates, groups and distinct rows by chance: both engines say what counting and adding by hand says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Row } from '../../src/db/database.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import type { FieldValue } from '../../src/kernel/value.ts';
import { compileList } from '../../src/query/compile-list.ts';
import type { ListParameters } from '../../src/query/list-query.ts';
import { parseListQuery } from '../../src/query/parse-list-query.ts';
import { presentRows } from '../../src/query/present-rows.ts';
import { describeEngines, useStarted } from '../support/describe-site.ts';
import { inOrder } from '../support/evaluate.ts';
import { fill, openTables } from '../support/tables.ts';

const doctype = parseDoctype({
  name: 'Sale',
  fields: [
    { fieldname: 'city', fieldtype: 'Data' },
    { fieldname: 'kind', fieldtype: 'Data' },
    { fieldname: 'pieces', fieldtype: 'Int' },
    { fieldname: 'price', fieldtype: 'Currency' },
    { fieldname: 'day', fieldtype: 'Date' },
    { fieldname: 'at', fieldtype: 'Datetime' },
    { fieldname: 'opens', fieldtype: 'Time' },
    { fieldname: 'next', fieldtype: 'Link', options: 'Sale' },
  ],
});
const scope = {
  registry: buildRegistry([doctype], 1),
  user: ADMINISTRATOR,
  now: () => '2026-03-15 08:00:00.000000',
};

const PERIODS = ['day:day', 'day:week', 'day:month', 'day:quarter', 'next.day:year', 'at:week', 'at:day'];
const NUMBERS = ['pieces', 'price', 'next.pieces', 'next.price'];
const FIELDS = ['city', 'kind', 'day', 'at', 'opens', 'next', 'next.city', 'next.day', ...NUMBERS];

// Prices are whole hundredths, which can be added exactly.
const rows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({
      city: fc.constantFrom(null, '', 'a', 'A', 'é', '😀'),
      kind: fc.constantFrom(null, 'x', 'y'),
      pieces: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(9_007_199_254_740, 0)),
      price: fc.integer({ min: -99_999_999, max: 99_999_999 }).map((hundredths) => hundredths / 100),
      day: fc.constantFrom(null, '2026-01-01', '2026-03-15', '0001-01-01', '0001-01-07', '9999-12-31'),
      at: fc.constantFrom(null, '2026-03-15 10:00:00.000000', '2026-03-15 10:00:00.000001'),
      opens: fc.constantFrom(null, '00:00:00.000000', '23:59:59.999999'),
      next: fc.constantFrom(null, 'row-0', 'row-1', 'row-2', 'gone'),
    }),
    { maxLength: 12 },
  )
  .map((some) => some.map((row, index): Row => ({ ...row, name: `row-${index}` })));

interface Call {
  readonly of: 'count' | 'sum' | 'avg' | 'min' | 'max';
  readonly field: string;
  readonly distinct: boolean;
}

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    of: fc.constant('count' as const),
    field: fc.constantFrom('*', ...FIELDS),
    distinct: fc.constant(false),
  }),
  fc.record({
    of: fc.constant('count' as const),
    field: fc.constantFrom(...FIELDS),
    distinct: fc.constant(true),
  }),
  fc.record({
    of: fc.constantFrom('sum' as const, 'avg' as const),
    field: fc.constantFrom(...NUMBERS),
    distinct: fc.constant(false),
  }),
  fc.record({
    of: fc.constantFrom('min' as const, 'max' as const),
    field: fc.constantFrom(...FIELDS),
    distinct: fc.constant(false),
  }),
);

/** The value of a field, also of one behind the link: null where that leads nowhere. */
function valueIn(all: readonly Row[], row: Row, field: string): FieldValue {
  const [name = '', period] = field.split(':');
  if (period !== undefined) return firstDay(valueIn(all, row, name), period);
  const [first = '', second] = field.split('.');
  if (second === undefined) return row[first] ?? null;
  return all.find(({ name }) => name === row[first])?.[second] ?? null;
}

function firstDay(value: FieldValue, period: string): FieldValue {
  if (value === null) return null;
  const [year = 0, month = 0, day = 0] = String(value).slice(0, 10).split('-').map(Number);
  const date = new Date(0);
  const first = { month, quarter: month - ((month - 1) % 3), year: 1 }[period] ?? month;
  date.setUTCFullYear(year, first - 1, ['day', 'week'].includes(period) ? day : 1);
  if (period === 'week') date.setUTCDate(date.getUTCDate() - date.getUTCDay());
  // The first week begins with the calendar.
  return date.getUTCFullYear() < 1 ? '0001-01-01' : date.toISOString().slice(0, 10);
}

function byHand(all: readonly Row[], some: readonly Row[], { of, field, distinct }: Call): FieldValue {
  if (field === '*') return some.length;
  const values = some.map((row) => valueIn(all, row, field)).filter((value) => value !== null);
  if (of === 'count') return distinct ? new Set(values).size : values.length;
  if (values.length === 0) return null;
  const sorted = values.toSorted(inOrder);
  if (of === 'min') return sorted[0] ?? null;
  if (of === 'max') return sorted.at(-1) ?? null;
  const hundredths = values.reduce<number>((sum, value) => sum + Math.round(Number(value) * 100), 0);
  const sum = hundredths / 100;
  return of === 'sum' ? sum : sum / values.length;
}

function textOf({ of, field, distinct }: Call): string {
  return `${of}(${distinct ? 'distinct ' : ''}${field})`;
}

const inAnyOrder = (some: readonly unknown[]) => some.map((one) => JSON.stringify(one)).sort();

describeEngines('aggregate', (engine) => {
  const tables = useStarted(() => openTables(engine, [doctype]));

  async function list(all: readonly Row[], parameters: ListParameters): Promise<readonly unknown[]> {
    const query = parseListQuery(doctype, { limit: 0, as_dict: false, ...parameters }, scope);
    return tables.database.transaction(async (connection) => {
      await fill(connection, doctype, all);
      const output = { output: 'rows', wholeSeconds: false } as const;
      return presentRows(query, await connection.all(compileList(query, null, connection.dialect, output)));
    });
  }

  test('aggregates of groups, and of all rows', async () => {
    const groups = fc.uniqueArray(fc.constantFrom(...FIELDS, ...PERIODS), { maxLength: 3 });
    const calls = fc.uniqueArray(call, { minLength: 1, maxLength: 5, selector: textOf });
    await fc.assert(
      fc.asyncProperty(rows, groups, calls, fc.boolean(), async (all, group_by, wanted, isFiltered) => {
        const kept = isFiltered ? all.filter(({ kind }) => kind === 'x') : all;
        const keyOf = (row: Row) => JSON.stringify(group_by.map((field) => valueIn(all, row, field)));
        const grouped = [...Map.groupBy(kept, keyOf)];
        // Without groups there is one row, also of nothing.
        if (group_by.length === 0 && grouped.length === 0) grouped.push(['[]', []]);
        const expected = grouped.map(([key, some]) => [
          ...JSON.parse(key),
          ...wanted.map((one) => byHand(all, some, one)),
        ]);
        const found = await list(all, {
          fields: [...group_by, ...wanted.map(textOf)].map((field, index) => `${field} as c${index}`),
          ...(group_by.length > 0 ? { group_by } : {}),
          filters: isFiltered ? [['kind', '=', 'x']] : [],
        });
        assert.deepEqual(inAnyOrder(found), inAnyOrder(expected));
      }),
      { numRuns: 200 },
    );
  });

  test('amounts that nearly cancel each other out leave no digits that none of them has', async () => {
    const all = [-545_266.41, 460_726.54].map((price, index) => ({
      ...Object.fromEntries(FIELDS.filter((field) => !field.includes('.')).map((field) => [field, null])),
      pieces: 0,
      price,
      next: null,
      name: `row-${index}`,
    }));
    assert.deepEqual(await list(all, { fields: ['sum(price) as s', 'avg(price) as a'] }), [
      [-84_539.87, -42_269.935],
    ]);
  });

  test('distinct rows', async () => {
    const fields = fc.uniqueArray(fc.constantFrom(...FIELDS), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(rows, fields, async (all, wanted) => {
        const expected = new Set(
          all.map((row) => JSON.stringify(wanted.map((field) => valueIn(all, row, field)))),
        );
        const found = await list(all, {
          fields: wanted.map((field, index) => `${field} as c${index}`),
          distinct: '1',
        });
        assert.deepEqual(inAnyOrder(found), [...expected].sort());
      }),
      { numRuns: 100 },
    );
  });

  test('groups come in the order that an aggregate gives them', async () => {
    await fc.assert(
      fc.asyncProperty(rows, call, fc.boolean(), async (all, wanted, isDown) => {
        const found = await list(all, {
          fields: ['city', `${textOf(wanted)} as v`],
          group_by: 'city',
          order_by: `${textOf(wanted)} ${isDown ? 'desc' : 'asc'}`,
        });
        const values = found.map((row) => (Array.isArray(row) ? row[1] : undefined));
        assert.deepEqual(values, isDown ? values.toSorted(inOrder).reverse() : values.toSorted(inOrder));
      }),
      { numRuns: 100 },
    );
  });
});
