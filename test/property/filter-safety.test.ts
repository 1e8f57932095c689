import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currentUser } from '../../src/access/user.ts';
import { postgresDialect } from '../../src/db/postgres/dialect.ts';
import { render } from '../../src/db/sql.ts';
import { sqliteDialect } from '../../src/db/sqlite/dialect.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { compileCount } from '../../src/query/compile-count.ts';
import { compileList } from '../../src/query/compile-list.ts';
import type { ListParameters, ListQuery } from '../../src/query/list-query.ts';
import { parseListQuery } from '../../src/query/parse-list-query.ts';
import { isPlain } from '../../src/query/present-rows.ts';
import type { QueryScope } from '../../src/query/query-scope.ts';

const ofPostgres = postgresDialect('public');

const item = parseDoctype({
  name: 'Basket Item',
  istable: 1,
  fields: [{ fieldname: 'item', fieldtype: 'Data' }],
});
const basket = parseDoctype({
  name: 'Basket',
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'weight', fieldtype: 'Float' },
    { fieldname: 'due', fieldtype: 'Datetime' },
    { fieldname: 'items', fieldtype: 'Table', options: 'Basket Item' },
    { fieldname: 'other', fieldtype: 'Link', options: 'Basket' },
  ],
  permissions: [{ role: 'All', read: 1, if_owner: 1 }],
});
const scope: QueryScope = {
  registry: buildRegistry([basket, item], 1),
  user: currentUser('someone@example.com', []),
  now: () => '2026-03-15 12:34:56.000789',
};

function texts(query: ListQuery): string[] {
  return [sqliteDialect, ofPostgres].flatMap((dialect) => {
    const outputs = isPlain(query) ? (['rows', 'json'] as const) : (['rows'] as const);
    const lists = outputs.map((output) => compileList(query, null, dialect, { output, wholeSeconds: true }));
    return [...lists, compileCount(query, null, dialect)].map(
      (statement) => render(statement, (position) => dialect.hole(position)).text,
    );
  });
}

function parsed(parameters: ListParameters): ListQuery | null {
  try {
    return parseListQuery(basket, parameters, scope);
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return null;
    throw error;
  }
}

const FIELDS = ['name', 'title', 'weight', 'due', 'items.item', 'other.title', 'owner', 'secret', '*'];
const OPERATORS = [
  '=',
  '!=',
  '>',
  '<',
  '>=',
  '<=',
  'like',
  'not like',
  'in',
  'not in',
  'between',
  'is',
  '<>',
  '',
  'sleep',
];

test('no text of a request ever appears in SQL', () => {
  // A mark that neither our SQL nor the metadata contains, alone or inside something that looks right.
  const mark = fc.stringMatching(/^zq[a-z0-9]{4,10}$/);
  const marked = mark.chain((text) =>
    fc.constantFrom(
      text,
      `title as ${text}`,
      `\`tabBasket\`.\`${text}\``,
      `'; drop table ${text} --`,
      `"${text}"`,
      `title ${text}`,
      `count(name) as ${text}`,
      `other.${text}`,
      `name desc, ${text}`,
    ),
  );
  const aliased = mark.map((text) => `title as ${text}`);
  const name = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom('name', 'title', 'items.item', 'other.title', 'owner') },
    { weight: 1, arbitrary: marked },
  );
  const field = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('name', 'title', '*') },
    { weight: 10, arbitrary: aliased },
    { weight: 1, arbitrary: marked },
  );
  const value = fc.oneof(marked, fc.array(marked, { maxLength: 3 }), fc.constantFrom(1, null, 'set', true));
  const operator = fc.constantFrom('=', '!=', '>', '<=', 'like', 'not like', 'in', 'not in', 'in');
  const filter = fc.oneof(
    fc.tuple(name, operator, value),
    fc.tuple(fc.constantFrom('Basket', 'Basket Item'), name, operator, value),
    fc.tuple(name, value),
  );
  const parameters = fc.record(
    {
      fields: fc.array(field, { maxLength: 3 }),
      filters: fc.oneof(fc.array(filter, { maxLength: 2 }), fc.dictionary(name, value)),
      or_filters: fc.array(filter, { maxLength: 2 }),
      order_by: fc.oneof(
        { weight: 10, arbitrary: fc.constantFrom('title desc', 'name', 'due, weight') },
        { weight: 1, arbitrary: marked },
      ),
      limit_start: fc.nat(),
      limit: fc.integer({ min: 1, max: 100 }),
    },
    { requiredKeys: [] },
  );
  let accepted = 0;
  fc.assert(
    fc.property(parameters, (wire) => {
      const query = parsed(wire);
      if (!query) return;
      accepted += 1;
      for (const text of texts(query)) assert.ok(!text.includes('zq'), text);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(accepted > 100, 'most requests were refused, so this showed nothing');
});

test('garbage of any shape is refused as the sender’s mistake or understood', () => {
  const junk = fc.oneof(
    fc.anything({ withNullPrototype: true, withBigInt: false }),
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '[',
      '{"a":',
      '"[[\\"name\\"]]"',
      '[[[[[]]]]]',
      '{"__proto__":1}',
      '[["name","=",{}]]',
      '[["__proto__","=",1]]',
      'toString',
    ),
  );
  const wire = fc.record(
    {
      fields: junk,
      filters: junk,
      or_filters: junk,
      order_by: junk,
      limit_start: junk,
      limit: junk,
      limit_page_length: junk,
      as_dict: junk,
      group_by: junk,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(wire, (parameters) => {
      const query = parsed(parameters);
      if (query) texts(query);
    }),
    { numRuns: 5_000 },
  );
});

test('garbage as a filter value is refused or bound with the type of its column', () => {
  const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }));
  const filter = fc.tuple(fc.constantFrom(...FIELDS), fc.constantFrom(...OPERATORS), value);
  fc.assert(
    fc.property(filter, (one) => {
      const query = parsed({ filters: [one] });
      if (!query) return;
      for (const bound of render(compileCount(query, null, ofPostgres), ofPostgres.hole).values) {
        assert.ok(typeof bound === 'number' ? Number.isFinite(bound) : typeof bound === 'string');
        if (typeof bound === 'string') assert.ok(!bound.includes('\0') && bound.isWellFormed());
      }
    }),
    { numRuns: 5_000 },
  );
});
