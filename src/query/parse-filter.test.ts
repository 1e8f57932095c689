import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { line, order, refusal, scope, vault, where } from '../../test/support/big-order.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { render } from '../db/sql.ts';
import { sqliteDialect } from '../db/sqlite/dialect.ts';
import { parseDoctype } from '../doctype/parse-doctype.ts';
import { buildRegistry } from '../doctype/registry.ts';
import { compileCount } from './compile-count.ts';
import { parseListQuery } from './parse-list-query.ts';

describe('a forbidden field is refused in the same words as a missing one', () => {
  const hidden = [
    'nonsense',
    'margin',
    'lines',
    'section',
    'doctype',
    '_revision',
    'lines.cost',
    'lines.nonsense',
    'lines.code',
    'hidden_lines.item',
    'customer.rating',
    'customer.nonsense',
    'vault.city',
    'nonsense.city',
    '`tabVault`.`city`',
    'tabVault.city',
    'title.x',
    '__proto__',
    'constructor',
    '1=1',
    "title' or 1=1",
    '',
  ];
  for (const path of hidden) {
    test(`filter by ${path}`, () => {
      const expected = `417 DataError: Field not permitted in query: ${path}`;
      assert.equal(refusal({ filters: [[path, '=', '1']] }), expected);
      assert.equal(refusal({ or_filters: [[path, 'is', 'set']] }), expected);
      assert.equal(refusal({ filters: { [path]: 1 } }), expected);
    });
  }
  for (const path of [...hidden, 'lines.item', 'pin', 'sleep(1)', 'sum(total)']) {
    if (path === '') continue;
    test(`order by ${path}`, () => {
      assert.equal(refusal({ order_by: path }), `417 DataError: Field not permitted in query: ${path}`);
      assert.equal(
        refusal({ order_by: `${path} desc` }),
        `417 DataError: Field not permitted in query: ${path}`,
      );
    });
  }
  for (const path of [
    ...hidden.filter((one) => one !== 'lines'),
    'hidden_lines',
    'sleep(total)',
    'sum(*)',
    'sum(distinct total)',
    'sum(total) + 1',
    'sum((select 1))',
    'title as',
    'title as x y',
    'title as __proto__',
  ]) {
    test(`select ${path}`, () => {
      assert.equal(refusal({ fields: [path] }), `417 DataError: Field not permitted in query: ${path}`);
    });
  }
  test('a password: shown as its mask, never compared', () => {
    assert.equal(
      refusal({ filters: [['pin', '=', 'x']] }),
      '417 DataError: Field not permitted in query: pin',
    );
    assert.equal(
      refusal({ filters: [['pin', 'is', 'set']] }, ADMINISTRATOR),
      '417 DataError: Field not permitted in query: pin',
    );
  });
  test('another doctype in front', () => {
    assert.equal(
      refusal({ filters: [['Vault', 'city', '=', 'x']] }),
      '417 DataError: Field not permitted in query: city',
    );
    assert.equal(
      refusal({ filters: [['%zz', 'city', '=', 'x']] }),
      '417 DataError: Field not permitted in query: city',
    );
  });
  test('an aggregate beside the fields of single documents', () => {
    assert.match(refusal({ fields: ['count(*)', 'title'] }), /^417 ValidationError: title must be/);
    assert.match(refusal({ fields: ['title', 'count(*)'] }), /^417 ValidationError: title must be/);
  });
});

describe('filters', () => {
  const own = '"_t"."title" = "x"';
  const same: unknown[] = [
    [['title', '=', 'x']],
    [['title', '', 'x']],
    [['title', 'x']],
    ['title', 'x'],
    ['title', '=', 'x'],
    ['Big Order', 'title', '=', 'x'],
    [['Big Order', 'title', '=', 'x']],
    [['Big%20Order', 'title', '=', 'x']],
    [['Big Order', 'title', '=', 'x', false]],
    [['`tabBig Order`.`title`', '=', 'x']],
    { title: 'x' },
    { title: ['=', 'x'] },
    { title: ['=', 'x', 'more'] },
    '{"title":"x"}',
    '"{\\"title\\":\\"x\\"}"',
    '[["title","=","x"]]',
    ' [["title","=","x"]] ',
  ];
  for (const filters of same) {
    test(`${JSON.stringify(filters)} is title = x`, () => assert.equal(where({ filters }), own));
  }
  for (const filters of ['', null, undefined, '[]', '{}', [], {}, 'null']) {
    test(`${JSON.stringify(filters)} is no filter`, () => assert.equal(where({ filters }), ''));
  }

  const shapes: [unknown, RegExp][] = [
    [[['title']], /417 ValidationError: Filter must have/],
    [[[]], /417 ValidationError: Filter must have/],
    [[{ title: 'x' }], /417 ValidationError: Filter must have/],
    [[[1, '=', 2]], /417 ValidationError: Filter must have/],
    [{ title: ['='] }, /417 ValidationError: Filter must have/],
    [{ title: [] }, /417 ValidationError: Filter must have/],
    ['title', /417 ValidationError: Parameter filters must be/],
    [5, /417 ValidationError: Parameter filters must be/],
    ['[["title"', /400 BadRequestError: Parameter filters is not valid JSON/],
    [[['title', 'during', 'today']], /417 ValidationError: Operator must be one of =, !=, >, </],
    [[['title', '~', 'x']], /417 ValidationError: Operator/],
    [[['title', 1, 'x']], /417 ValidationError: Operator/],
    [[['title', 'constructor', 'x']], /417 ValidationError: Operator/],
    [[['title', '=', ['x']]], /417 ValidationError: .*Title/],
    [[['title', '=', { a: 1 }]], /417 ValidationError: .*Title/],
    [[['title', 'is', 'null']], /417 ValidationError: .*Title.*set/],
    [[['title', 'between', 'x']], /417 ValidationError: .*Title/],
    [[['title', 'between', ['a', 'b', 'c']]], /417 ValidationError: .*Title/],
    [[['title', 'between', ['a']]], /417 ValidationError: .*Title/],
    [[['title', 'like', null]], /417 ValidationError: .*Title/],
    [[['title', 'like', 'x'.repeat(1001)]], /417 ValidationError: .*Title/],
    [[['title', '=', 'a\0b']], /417 ValidationError: .*Title/],
    [[['title', '=', '\ud800']], /417 ValidationError: .*Title/],
    [[['title', 'in', [['x']]]], /417 ValidationError: .*Title/],
    [[['title', 'in', Array.from({ length: 1001 }, String)]], /417 ValidationError: .*Title/],
    [Array.from({ length: 101 }, () => ['title', '=', 'x']), /417 ValidationError: At most 100/],
    [[['total', '=', 'abc']], /417 ValidationError: .*Total/],
    [[['total', '>', '']], /417 ValidationError: .*Total/],
    [[['title', '=', 'a'], 'xor', ['title', '=', 'b']], /417 ValidationError: .*"and" or "or"/],
    [[['title', '=', 'a'], 'and'], /417 ValidationError: Filter must have/],
    [['and', ['title', '=', 'a']], /417 (ValidationError|DataError)/],
    [[['title', '=', 'a'], 'and', 'or', ['title', '=', 'b']], /417 ValidationError: Filter must have/],
    [[[[]]], /417 ValidationError: Filter must have/],
    [deep(11), /417 ValidationError: .*10 deep/],
    [[[Array(101).fill(['title', '=', 'a'])]], /417 ValidationError: At most 100/],
    [[['title', '=', 'a'], 'or', ['margin', '=', 1]], /417 DataError: Field not permitted in query: margin/],
    [[['title', 'timespan', 'today']], /417 ValidationError: .*Title/],
    [[['due', 'timespan', 'last 8 days']], /417 ValidationError: .*last 7 days/],
    [[['due', 'next', 'week']], /417 ValidationError: .*1 week/],
    [[['total', 'between', [1]]], /417 ValidationError: .*Total/],
    [[['due', '=', '2026-02-30']], /417 ValidationError: .*Due/],
    [[['due', '<', null]], /417 ValidationError: .*Due/],
    [[['modified', '>', 'yesterday']], /417 ValidationError: .*modified/],
    [[['paid', '=', 'maybe']], /417 ValidationError: .*Paid/],
    [[['docstatus', '=', 'x']], /417 ValidationError: .*docstatus/],
  ];
  for (const [filters, expected] of shapes) {
    test(`${(JSON.stringify(filters) ?? '').slice(0, 60)} is refused`, () =>
      assert.match(refusal({ filters }), expected));
  }

  test('or-filters are one group beside the filters', () => {
    const condition = where({
      filters: { title: 'x' },
      or_filters: [
        ['total', '>', 1],
        ['paid', '=', 'True'],
      ],
    });
    assert.equal(condition, `${own} and ("_t"."total" > 1 or "_t"."paid" = 1)`);
  });

  test('a timestamp cut to seconds finds its row', () => {
    const modified = (operator: string) =>
      where({ filters: [['modified', operator, '2026-03-15 10:00:00']] });
    assert.equal(
      modified('='),
      '"_t"."modified" between "2026-03-15 10:00:00.000000" and "2026-03-15 10:00:00.999999"',
    );
    assert.equal(modified('>'), '"_t"."modified" > "2026-03-15 10:00:00.999999"');
    assert.equal(modified('<='), '"_t"."modified" <= "2026-03-15 10:00:00.999999"');
    assert.equal(modified('>='), '"_t"."modified" >= "2026-03-15 10:00:00.000000"');
    assert.equal(
      where({ filters: [['modified', '>', '2026-03-15']] }),
      '"_t"."modified" > "2026-03-15 00:00:00.000000"',
    );
  });

  test('between with one bound ends today', () => {
    assert.equal(
      where({ filters: [['due', 'between', ['2026-01-01']]] }),
      '"_t"."due" between "2026-01-01" and "2026-03-15"',
    );
    assert.equal(
      where({ filters: [['creation', 'between', ['2026-01-01', '']]] }),
      '"_t"."creation" between "2026-01-01 00:00:00.000000" and "2026-03-15 23:59:59.999999"',
    );
  });

  test('conditions on one child table apply to one row, in every spelling', () => {
    const expected = `exists (select 1 from "Order Line" as "_c" where "_c"."parent" = "_t"."name" and "_c"."parenttype" = "Big Order" and "_c"."parentfield" in ("lines") and ("_c"."item" is null or "_c"."item" <> "x") and "_c"."idx" > 1)`;
    assert.equal(
      where({
        filters: [
          ['lines.item', '!=', 'x'],
          ['lines.idx', '>', 1],
        ],
      }),
      expected,
    );
    assert.equal(
      where({
        filters: [
          ['Order Line', 'item', '!=', 'x'],
          ['Order Line', 'idx', '>', 1],
        ],
      }),
      expected,
    );
    assert.equal(
      where({
        filters: [
          ['`tabOrder Line`.`item`', '!=', 'x'],
          ['tabOrder Line.idx', '>', 1],
        ],
      }),
      expected,
    );
  });

  test('a filter through a link sees only readable documents', () => {
    const mine = parseDoctype({
      ...{ name: 'Customer', fields: [{ fieldname: 'city', fieldtype: 'Data' }] },
      permissions: [{ role: 'Sales', read: 1, if_owner: 1 }],
    });
    const query = parseListQuery(
      order,
      { filters: [['customer.city', '=', 'Rome']] },
      { ...scope, registry: buildRegistry([order, line, mine, vault], 2) },
    );
    const { text, values } = render(compileCount(query, null, sqliteDialect), () => '?');
    assert.match(
      text,
      /\(select "_l"\."city" from "Customer" as "_l"\s+where "_l"\."name" = "_t"\."customer" and \("owner" = \?\)\) = \?/,
    );
    assert.deepEqual(values, ['seller@example.com', 'Rome']);
  });
});

function deep(levels: number): unknown {
  let filters: unknown = [['title', '=', 'a']];
  for (let level = 1; level < levels; level += 1) filters = [filters];
  return filters;
}
