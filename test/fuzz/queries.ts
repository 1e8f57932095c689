import fc from 'fast-check';
import type { DocType } from '../../src/doctype/doctype.ts';
import { termAttack } from './attacks.ts';
import { fieldValue, hostileText, junk, mostly, textOf, type Value } from './values.ts';
import type { World } from './world.ts';

/** A few list parameters as values; the wire writes them as JSON text or as they are. */
export function listParameters(
  world: World,
  doctype: DocType | undefined,
): fc.Arbitrary<Record<string, unknown>> {
  // All of them at once are nearly always refused; few of them go further.
  const parts = fc.tuple(allParameters(world, doctype), fc.infiniteStream(fc.nat()), termAttack);
  return parts.map(([all, picks, attack]) => {
    const kept: Record<string, unknown> = {};
    const names = Object.keys(all);
    const many = picks.next().value % 5;
    for (let at = 0; at < many; at += 1) {
      const name = names[picks.next().value % names.length] ?? '';
      kept[name] = all[name];
    }
    const isAttack = picks.next().value % 10 === 0;
    return isAttack ? { ...kept, [TERMS[picks.next().value % TERMS.length] ?? '']: attack } : kept;
  });
}

/** The parameters that are made of terms. */
export const TERMS = ['fields', 'order_by', 'group_by', 'filters', 'or_filters', 'expand'];

function allParameters(world: World, doctype: DocType | undefined): fc.Arbitrary<Record<string, unknown>> {
  const field = fieldPath(world, doctype);
  const small = mostly(
    fc.integer({ min: 0, max: 40 }).map(String),
    fc.constantFrom<unknown>(0, -1, '', '5', '1e2', '99999999999999999999', 1e15, 2.5, 'abc', [], null),
  );
  const order = fc
    .array(
      fc
        .tuple(mostly(field, hostileText), fc.constantFrom('', ' asc', ' desc', ' DESC', ' nulls last'))
        .map(([name, way]) => `${textOf(name)}${way}`),
      { minLength: 1, maxLength: 4 },
    )
    .map((terms) => terms.join(', '));
  const filters = mostly(anyFilters(world, doctype, field));
  return fc.record({
    fields: mostly(selection(doctype, field)),
    filters,
    or_filters: filters,
    order_by: mostly(order),
    group_by: mostly(fc.oneof(field, fc.array(field, { maxLength: 3 }))),
    limit: small,
    limit_page_length: small,
    limit_start: small,
    start: small,
    as_dict: mostly(fc.constantFrom<unknown>('0', '1', false, true, 'False')),
    distinct: mostly(fc.constantFrom<unknown>('1', '0', true)),
    expand: mostly(fc.array(field, { maxLength: 3 })),
    include: mostly(fc.constantFrom('count', 'cursor', 'count,cursor', 'x')),
    count: mostly(fc.constantFrom<unknown>('exact', '1', '')),
    after: cursor(world),
    parent: mostly(fc.constantFrom('Order', 'Everything', 'Leaf')),
    debug: fc.constant('1'),
    user: hostileText,
    __proto__x: junk,
  });
}

function cursor(world: World): Value {
  return fc.tuple(fc.nat(), fc.nat({ max: 9 }), fc.nat()).map(([pick, how, at]) => {
    const known = world.oneOf(world.cursors, pick);
    if (how > 3) return known;
    const position = at % Math.max(1, known.length);
    return [
      'x',
      `${known}A`,
      known.slice(0, position),
      `${known.slice(0, position)}_${known.slice(position + 1)}`,
    ][how];
  });
}

/** A field of the doctype, of its child tables, or behind its links; or a name that means nothing. */
export function fieldPath(world: World, doctype: DocType | undefined): fc.Arbitrary<string> {
  if (!doctype) return fc.oneof(fc.constantFrom('name', 'modified', 'title'), hostileText);
  const own = [...doctype.columnByName.keys(), ...doctype.fields.map((field) => field.fieldname)];
  const below = [...doctype.tables, ...doctype.links].flatMap((field) => {
    const target = world.doctype(field.options);
    return [...(target?.columnByName.keys() ?? [])].flatMap((name) => [
      `${field.fieldname}.${name}`,
      `tab${field.options}.${name}`,
      `\`tab${field.options}\`.\`${name}\``,
    ]);
  });
  return fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...own) },
    { weight: 3, arbitrary: fc.constantFrom(...(below.length > 0 ? below : own)) },
    { weight: 1, arbitrary: fc.constantFrom(...own).map((name) => `\`tab${doctype.name}\`.\`${name}\``) },
    { weight: 1, arbitrary: hostileText },
  );
}

const ALIASES = ['n', 'total', 'name', '`x`', 'a b', '__proto__', 'select'];

function selection(doctype: DocType | undefined, field: fc.Arbitrary<string>): Value {
  const aggregate = fc
    .tuple(
      fc.constantFrom('count', 'sum', 'avg', 'MIN', 'max', 'sleep'),
      fc.constantFrom('', 'distinct '),
      fc.oneof(field, fc.constantFrom('*', 'name', '')),
    )
    .map(([name, distinct, of]) => `${name}(${distinct}${of})`);
  const table = fc.constantFrom(...(doctype?.tables.map((one) => one.fieldname) ?? ['items']), 'items');
  const item: Value = fc.oneof(
    { weight: 8, arbitrary: field },
    { weight: 3, arbitrary: aggregate },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.oneof(field, aggregate), fc.constantFrom(...ALIASES))
        .map(([name, as]) => `${name} as ${as}`),
    },
    { weight: 1, arbitrary: fc.constantFrom('*', 'name', 'count(name) as n') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('SUM', 'COUNT', 'MAX', 'avg', 'x'), field, fc.constantFrom(...ALIASES))
        .map(([name, of, as]) => ({ [name]: of, as })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(table, fc.oneof(fc.array(fc.constantFrom('name', 'qty', 'item', '*')), junk))
        .map(([name, columns]) => ({ [name]: columns })),
    },
    { weight: 1, arbitrary: junk },
  );
  const list = fc.array(item, { minLength: 1, maxLength: 5 });
  return fc.oneof(
    { weight: 8, arbitrary: list },
    { weight: 1, arbitrary: list.map((items) => items.map(textOf).join(',')) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>('*', ['*'], ['name'], '[]', []) },
  );
}

const OPERATORS = [
  '=',
  '!=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'like',
  'not like',
  'in',
  'not in',
  'between',
  'is',
  'timespan',
  'previous',
  'next',
  'descendants of',
  'not descendants of',
  'ancestors of',
  'not ancestors of',
  'descendants of (inclusive)',
  'IN',
  'regexp',
  '',
  '= 1 or 1',
];
const WORDS = [
  'today',
  'last week',
  '3 days',
  '1 week',
  'set',
  'not set',
  'last 7 days',
  '99999 years',
  '%a%',
];

function anyFilters(world: World, doctype: DocType | undefined, field: fc.Arbitrary<string>): Value {
  const fields = doctype?.fields ?? [];
  const value: Value = fc.oneof(
    ...(fields.length > 0
      ? [{ weight: 4, arbitrary: fc.oneof(...fields.slice(0, 60).map((one) => fieldValue(world, one, 0))) }]
      : []),
    { weight: 2, arbitrary: fc.constantFrom<unknown>(...WORDS) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(['a', 'b'], 'a,b', ['2026-01-01', '2026-12-31'], [null], []),
    },
    { weight: 1, arbitrary: fc.array(junk, { maxLength: 3 }) },
    { weight: 2, arbitrary: junk },
    {
      weight: 1,
      arbitrary: fc.nat().map((pick) => world.nameOf(doctype?.name ?? 'Leaf', pick)),
    },
  );
  const operator = fc.constantFrom(...OPERATORS);
  const childNames = ['Row', 'Pick', doctype?.name ?? 'Leaf', 'Nowhere', 'Sales%20Invoice', '%zz'];
  const condition: Value = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(field, operator, value) },
    { weight: 1, arbitrary: fc.tuple(field, value) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...childNames), field, operator, value) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...childNames), field, operator, value, junk) },
  );
  const object = fc.dictionary(
    field,
    fc.oneof(
      value,
      fc.tuple(operator, value).map((pair): unknown => pair),
    ),
    { maxKeys: 3 },
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      condition,
      object,
      fc.tuple(tie('tree'), fc.constantFrom('and', 'or', 'AND', 'xor'), tie('tree')),
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    ),
  }));
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(condition, { maxLength: 4 }) },
    { weight: 3, arbitrary: object },
    { weight: 3, arbitrary: fc.array(tree, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: condition },
    { weight: 1, arbitrary: fc.array(mostly(condition), { minLength: 99, maxLength: 102 }) },
  );
}
