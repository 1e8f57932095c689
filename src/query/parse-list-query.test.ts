import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { order, parse, refusal, scope } from '../../test/support/big-order.ts';
import { ADMINISTRATOR, currentUser } from '../access/user.ts';
import { render, sql } from '../db/sql.ts';
import { sqliteDialect } from '../db/sqlite/dialect.ts';
import { compileCount } from './compile-count.ts';
import { compileList } from './compile-list.ts';
import type { ListParameters, ListQuery } from './list-query.ts';
import { parseListQuery } from './parse-list-query.ts';
import { isPlain, presentRows } from './present-rows.ts';

function keys({ selection }: ListQuery): readonly string[] {
  return selection.select === 'count'
    ? [`#${selection.key}`]
    : (selection.select === 'terms' ? selection.terms : selection.columns).map(({ key }) => key);
}

describe('fields', () => {
  const cases: [unknown, string[]][] = [
    [undefined, ['name']],
    ['', ['name']],
    ['[]', ['name']],
    ['null', ['name']],
    ['["title","due"]', ['title', 'due']],
    [
      ['title', 'title', 'name'],
      ['title', 'name'],
    ],
    ['"[\\"title\\"]"', ['title']],
    ['title', ['title']],
    ['title, due', ['title', 'due']],
    ['["title as t"]', ['t']],
    ['["`tabBig Order`.`title` as `t`"]', ['t']],
    ['["`title`"]', ['title']],
    ['["pin"]', ['pin']],
    ['["count(name) as total_count"]', ['#total_count']],
    ['["count(*)"]', ['#count(*)']],
    ['["COUNT(`name`)"]', ['#count(name)']],
    ['count(*) as n', ['#n']],
  ];
  for (const [fields, expected] of cases) {
    test(`${JSON.stringify(fields)} selects ${expected}`, () =>
      assert.deepEqual(keys(parse({ fields })), expected));
  }

  test('a star, in any spelling, is every readable column and no table', () => {
    const readable = [
      'name',
      'owner',
      'creation',
      'modified',
      'modified_by',
      'docstatus',
      'idx',
      'title',
      'due',
      'total',
      'paid',
      'pin',
      'customer',
      'vault',
    ];
    for (const fields of ['["*"]', '*', '"*"', ['*'], ['title', '*']]) {
      assert.deepEqual(new Set(keys(parse({ fields }))), new Set(readable));
    }
    assert.ok(keys(parse({ fields: ['*'] }, ADMINISTRATOR)).includes('margin'));
  });

  test('equal requests share one selection, but not users with different fields', () => {
    assert.equal(parse({ fields: '["*"]' }).selection, parse({ fields: ['*'] }).selection);
    assert.notEqual(
      parse({ fields: '["*"]' }).selection,
      parse({ fields: '["*"]' }, ADMINISTRATOR).selection,
    );
  });
});

describe('order', () => {
  const cases: [unknown, string][] = [
    [undefined, 'due asc, name asc'],
    ['', 'due asc, name asc'],
    ['title', 'title asc, name asc'],
    ['title DESC', 'title desc, name desc'],
    ['name desc', 'name desc'],
    ['total desc, title asc', 'total desc, title asc, name asc'],
    ['`tabBig Order`.`modified` desc', 'modified desc, name desc'],
    ['`tabBig Order`.creation', 'creation asc, name asc'],
    ['tabBig Order.title  asc', 'title asc, name asc'],
  ];
  for (const [order_by, expected] of cases) {
    test(`${JSON.stringify(order_by)} is ${expected}`, () => {
      const terms = parse({ order_by }).order.map(
        (term) => `${term.by === undefined ? term.column.fieldname : ''} ${term.direction}`,
      );
      assert.equal(terms.join(', '), expected);
    });
  }
  for (const order_by of [
    'title sideways',
    'title,',
    ',',
    'title; drop',
    'title asc desc',
    '(select 1)',
    '1',
    5,
    ['title'],
  ]) {
    test(`${JSON.stringify(order_by)} is refused`, () =>
      assert.match(refusal({ order_by }), /^417 DataError/));
  }
  test('too many terms are refused', () => {
    assert.match(refusal({ order_by: Array(21).fill('title').join() }), /^417 ValidationError/);
  });
});

describe('pages', () => {
  const cases: [ListParameters, number, number | null][] = [
    [{}, 0, 20],
    [{ limit_start: '', limit_page_length: '', limit: '' }, 0, 20],
    [{ limit: '5' }, 0, 5],
    [{ limit: 5, limit_page_length: '7' }, 0, 7],
    [{ limit_start: '40', limit_page_length: 10_000 }, 40, 10_000],
    [{ start: 40, limit: ' 10 ' }, 40, 10],
    [{ start: 40, limit_start: 3 }, 3, 20],
  ];
  for (const [parameters, start, limit] of cases) {
    test(JSON.stringify(parameters), () => {
      const query = parse(parameters);
      assert.deepEqual([query.start, query.limit], [start, limit]);
    });
  }
  for (const value of [
    'abc',
    '-1',
    -1,
    1.5,
    '1.5',
    '1e3',
    'None',
    true,
    [5],
    {},
    '99999999999999999999',
    Number.NaN,
  ]) {
    test(`${JSON.stringify(value)} is not a number of rows`, () => {
      assert.match(refusal({ limit_page_length: value }), /^417 ValidationError: limit_page_length/);
      assert.match(refusal({ limit: value }), /^417 ValidationError: limit_page_length/);
      assert.match(refusal({ limit_start: value }), /^417 ValidationError: limit_start/);
    });
  }
  test('only administrators may list without a limit', () => {
    assert.match(refusal({ limit_page_length: 0 }), /^403 PermissionError/);
    assert.equal(parse({ limit_page_length: '0' }, ADMINISTRATOR).limit, null);
    assert.equal(parse({ limit: 0 }, currentUser('boss', ['System Manager'])).limit, null);
  });
  test('the largest page is a setting, and does not bind administrators', () => {
    assert.match(refusal({ limit: 10_001 }), /^417 ValidationError: limit_page_length may be at most 10000/);
    assert.equal(parse({ limit: 10_001 }, ADMINISTRATOR).limit, 10_001);
    assert.throws(() => parseListQuery(order, { limit: 51 }, { ...scope, maxPageLength: 50 }), /at most 50/);
  });
});

test('rows come as the request asked for them', () => {
  const how = { output: 'rows', wholeSeconds: true } as const;
  const aliased = parse({ fields: ['title as t', 'name'] });
  assert.equal(isPlain(aliased), false);
  assert.deepEqual(presentRows(aliased, [{ _0: 'x', _1: 'n' }]), [{ t: 'x', name: 'n' }]);
  assert.throws(() => compileList(aliased, null, sqliteDialect, { ...how, output: 'json' }));
  const listed = parse({ fields: ['title', 'name'], as_dict: 'False' });
  assert.deepEqual(presentRows(listed, [{ name: 'n', title: null }]), [[null, 'n']]);
  for (const as_dict of ['false', '0', 0, false]) assert.equal(parse({ as_dict }).asDict, false);
  for (const as_dict of ['true', true, 1, '', undefined]) assert.equal(parse({ as_dict }).asDict, true);
  const counted = parse({ fields: ['count(name) as n'] });
  assert.deepEqual(presentRows(counted, [{ _0: 3 }]), [{ n: 3 }]);
  assert.match(
    render(compileList(counted, null, sqliteDialect, how), () => '?').text,
    /^select count\(\*\) as "_0" from "Big Order" as "_t"$/,
  );
});

test('the row filter of the user is and-ed to all other conditions', () => {
  const query = parse({ filters: { title: 'x' }, or_filters: [['total', '=', 1]] });
  const { text } = render(compileCount(query, sql`1 = 1 or 2 = 2`, sqliteDialect), () => '?');
  assert.ok(text.endsWith('where "_t"."title" = ? and ("_t"."total" = ?) and (1 = 1 or 2 = 2)'), text);
});
