import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withSearch } from '../base/paths.ts';
import { OPERATORS } from '../meta/operators.ts';
import {
  type Condition,
  conditionsOf,
  escapedForPattern,
  isComplete,
  patternOf,
  shapeOf,
  wireFilters,
  wireOf,
  withCondition,
  withOperator,
} from './list-filters.ts';
import { type ListSearch, readListSearch, searchParameters, VIEW_TYPES } from './list-search.ts';

const scalar = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const fieldname = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/);

const condition: fc.Arbitrary<Condition> = fc
  .record({
    table: fc.option(fc.constantFrom('Invoice Item', 'Fee, "quoted"')),
    field: fieldname,
    operator: fc.constantFrom(...OPERATORS),
    one: scalar,
    two: scalar,
    many: fc.array(scalar, { minLength: 1, maxLength: 4 }),
    presence: fc.constantFrom('set', 'not set'),
  })
  .map(({ table, field, operator, one, two, many, presence }) => {
    const value = { one, pattern: one, many, range: [one, two], presence }[shapeOf(operator)];
    return { table, field, operator, value };
  });

const conditions = fc.array(condition, { maxLength: 4 });

// JSON writes -0 as 0.
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

// Reads an address like the router: values that are JSON are parsed.
function readAddress(address: string): Record<string, unknown> {
  const search = new URL(address, 'http://host').searchParams;
  return Object.fromEntries(
    [...search].map(([name, text]) => {
      try {
        return [name, JSON.parse(text) as unknown];
      } catch {
        return [name, text];
      }
    }),
  );
}

test('the address preserves every condition of every operator', () => {
  fc.assert(
    fc.property(conditions, conditions, fc.string(), (filters, or, text) => {
      const list: Omit<ListSearch, 'isWhole'> = {
        ...{ filters, or, text, order: [], columns: null, view: null },
        as: 'table',
        settings: {},
      };
      const address = withSearch('/d/Invoice', searchParameters(list));
      assert.deepEqual(readListSearch(readAddress(address), 'Invoice'), plain({ ...list, isWhole: true }));
    }),
  );
});

test('the address preserves order, columns, view and its type', () => {
  const word = fc.oneof(fieldname, fc.constantFrom('null', 'true', '12'));
  const terms = fc.array(fc.record({ field: word, isDescending: fc.boolean() }), { maxLength: 3 });
  fc.assert(
    fc.property(
      terms,
      fc.option(fc.array(word, { minLength: 1 })),
      fc.option(word),
      fc.constantFrom(...VIEW_TYPES),
      fc.dictionary(word, fc.oneof(word, fc.integer())),
      (order, columns, view, as, settings) => {
        const list = { filters: [], or: [], text: '', order, columns, view, as, settings };
        const address = withSearch('/d/Invoice', searchParameters(list));
        assert.deepEqual(readListSearch(readAddress(address), 'Invoice'), plain({ ...list, isWhole: true }));
      },
    ),
  );
});

test('requests contain exactly the conditions of the address', () => {
  fc.assert(
    fc.property(conditions, conditions, (filters, or) => {
      const asked = wireFilters({ filters, or, text: '' }, ['name']);
      assert.deepEqual(plain(conditionsOf(asked.filters, 'Invoice').conditions), plain(filters));
      assert.deepEqual(plain(conditionsOf(asked.or_filters, 'Invoice').conditions), plain(or));
    }),
  );
});

test('a field of child rows names their doctype, one of the document does not', () => {
  const own: Condition = { table: null, field: 'status', operator: '=', value: 'Open' };
  assert.deepEqual(wireOf(own), ['status', '=', 'Open']);
  assert.deepEqual(wireOf({ ...own, table: 'Invoice Item' }), ['Invoice Item', 'status', '=', 'Open']);
  assert.deepEqual(conditionsOf([['Invoice', 'status', '=', 'Open']], 'Invoice').conditions, [own]);
});

test('a text is searched in each field, with any characters', () => {
  const filters: Condition[] = [{ table: null, field: 'status', operator: '=', value: 'Open' }];
  assert.deepEqual(wireFilters({ filters, or: [], text: ' 50%_\\ ' }, ['name', 'title']), {
    filters: [
      ['status', '=', 'Open'],
      'and',
      [['name', 'like', '%50\\%\\_\\\\%'], 'or', ['title', 'like', '%50\\%\\_\\\\%']],
    ],
  });
  assert.deepEqual(wireFilters({ filters: [], or: [], text: 'x' }, ['name']), {
    filters: [['name', 'like', '%x%']],
  });
  assert.equal(escapedForPattern('a_b'), 'a\\_b');
});

test('unfinished conditions are not requested', () => {
  const half: Condition = { table: null, field: 'total', operator: 'between', value: [1, null] };
  assert.equal(isComplete(half), false);
  assert.deepEqual(wireFilters({ filters: [half], or: [half], text: '' }, []), {});
  assert.equal(isComplete({ ...half, value: [1, 2] }), true);
  assert.equal(isComplete({ ...half, operator: 'in', value: [] }), false);
  assert.equal(isComplete({ ...half, operator: '=', value: 0 }), true);
});

test('unknown parts of an address are reported, not ignored', () => {
  assert.equal(conditionsOf([['status', '=', 'Open'], 5], 'Invoice').isWhole, false);
  assert.equal(conditionsOf('status', 'Invoice').isWhole, false);
  assert.equal(conditionsOf([['status', '=', { a: 1 }]], 'Invoice').isWhole, false);
  assert.deepEqual(conditionsOf({ status: 'Open', total: ['>', 5] }, 'Invoice').conditions, [
    { table: null, field: 'status', operator: '=', value: 'Open' },
    { table: null, field: 'total', operator: '>', value: 5 },
  ]);
  assert.equal(
    conditionsOf([['at', 'Timespan', 'this week']], 'Invoice').conditions[0]?.operator,
    'timespan',
  );
});

test('a value stays when the operator changes', () => {
  const one: Condition = { table: null, field: 'status', operator: '=', value: 'Open' };
  assert.deepEqual(withOperator(one, 'in').value, ['Open']);
  assert.deepEqual(withOperator(withOperator(one, 'in'), '=').value, 'Open');
  assert.deepEqual(withOperator(one, 'is').value, 'set');
  assert.deepEqual(withOperator(withOperator(one, 'is'), '=').value, null);
  for (const from of OPERATORS)
    for (const to of OPERATORS) {
      const next = withOperator(withOperator(one, from), to);
      assert.equal(next.operator, to);
      if (shapeOf(to) === 'range') assert.equal((next.value as unknown[]).length, 2);
    }
});

test('a word without wildcards matches anywhere', () => {
  assert.equal(patternOf('abc'), '%abc%');
  assert.equal(patternOf('abc%'), 'abc%');
  assert.equal(patternOf('a_c'), 'a_c');
  assert.equal(patternOf('50\\%'), '%50\\%%');
  assert.equal(patternOf(''), '');
});

test('one more condition joins those that contain a search', () => {
  const more = ['status', '=', 'Open'] as const;
  assert.deepEqual(withCondition({}, more), { filters: [more] });
  const plainFilters = wireFilters({ filters: [], or: [], text: 'ann' }, ['name', 'title']);
  assert.deepEqual(withCondition(plainFilters, more), {
    filters: [[['name', 'like', '%ann%'], 'or', ['title', 'like', '%ann%']], 'and', more],
  });
});
