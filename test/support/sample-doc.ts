import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Row } from '../../src/db/database.ts';
import type { ColumnKind } from '../../src/db/dialect.ts';
import type { DocColumn } from '../../src/doctype/doctype.ts';
import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import type { FieldValue } from '../../src/kernel/value.ts';
import type { QueryScope } from '../../src/query/query-scope.ts';
import { SPANS } from './evaluate.ts';

const stored = [...FIELDTYPES.values()].filter((fieldtype) => fieldtype.column !== null);
/** A doctype with a field of every fieldtype that is stored. */
export const doctype = parseDoctype({
  name: 'Sample Doc',
  fields: stored.map(({ name }) => ({
    fieldname: `f_${name.toLowerCase().replaceAll(/\W/g, '_')}`,
    fieldtype: name,
    options: { Link: 'Sample Doc', 'Dynamic Link': 'f_data' }[name] ?? '',
  })),
});
/** What its filters are read with. */
export const scope: QueryScope = {
  registry: buildRegistry([doctype], 1),
  user: ADMINISTRATOR,
  now: () => '2026-03-15 12:34:56.000789',
};
/** The day it is then. */
export const TODAY = '2026-03-15';

// Few different values, so that equal ones meet; among them the ones that go wrong elsewhere.
const texts = [
  '',
  'a',
  'A',
  'b',
  'ab',
  ' a',
  'a ',
  'é',
  'É',
  'e\u0301',
  'ß',
  'SS',
  'ẞ',
  'σ',
  'ς',
  'Σ',
  'İ',
  'ı',
  '日本',
  '😀',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '0',
  '10',
  '9',
  '\u{10ffff}',
  '\uffff',
  'a\nb',
];
const VALUES: Readonly<Record<ColumnKind, readonly FieldValue[]>> = {
  text: [null, ...texts],
  integer: [0, 1, -1, 2, 10, 9_007_199_254_740_991, -9_007_199_254_740_991],
  real: [
    0, 1, -1, 0.1, 0.30000000000000004, 0.3, 1.5, -1.5, 1e15, 123456789.12345679, 1e-5, 5e-324,
    1.7976931348623157e308, -1e300, 100000,
  ],
  date: [null, '0001-01-01', '2024-02-29', TODAY, '2026-03-14', '2026-03-16', '9999-12-31'],
  datetime: [
    null,
    '0001-01-01 00:00:00.000000',
    '2026-03-14 23:59:59.999999',
    '2026-03-15 00:00:00.000000',
    '2026-03-15 10:00:00.000000',
    '2026-03-15 10:00:00.123456',
    '2026-03-15 10:00:00.999999',
    '2026-03-15 10:00:01.000000',
    '2026-03-15 23:59:59.999999',
    '2026-03-16 00:00:00.000000',
    '9999-12-31 23:59:59.999999',
  ],
  time: [
    null,
    '00:00:00.000000',
    '00:00:00.000001',
    '09:05:00.000000',
    '09:05:00.500000',
    '09:05:01.000000',
    '23:59:59.999999',
  ],
};

function values(kind: ColumnKind): fc.Arbitrary<FieldValue> {
  const known = fc.constantFrom(...VALUES[kind]);
  if (kind === 'text')
    return fc.oneof(
      { weight: 4, arbitrary: known },
      fc.string({ unit: 'grapheme', maxLength: 6 }).filter(isStorable),
    );
  if (kind === 'integer') return fc.oneof({ weight: 4, arbitrary: known }, fc.maxSafeInteger());
  if (kind !== 'real') return known;
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  return fc.oneof({ weight: 4, arbitrary: known }, doubles);
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

// What a client would compare with: stored values, and the shorter or odder forms it may have of them.
function operands(column: DocColumn): fc.Arbitrary<string | number | boolean> {
  const present = values(column.kind).filter((value) => value !== null && value !== '');
  const same = present.map((value) => value ?? '');
  const asText = same.map(String);
  switch (column.kind) {
    case 'integer':
      if (column.field?.fieldtype === 'Check')
        return fc.constantFrom(0, 1, '0', '1', true, false, 'true', 'False');
      return fc.oneof(same, fc.constantFrom(1.5, -0.5, '1', '1.0', ' 2 ', 1e300, -1e300));
    case 'real':
      return fc.oneof(same, fc.constantFrom('1', '1.50', '.1', '1e-5'));
    case 'datetime':
      return asText.chain((text) =>
        fc.constantFrom(
          text,
          text.slice(0, 19),
          text.slice(0, 16),
          text.slice(0, 10),
          text.slice(0, 23),
          text.replace(' ', 'T'),
        ),
      );
    case 'time':
      return asText.chain((text) =>
        fc.constantFrom(text, text.slice(0, 8), text.slice(0, 5), text.slice(0, 10)),
      );
    default:
      return same;
  }
}

type Wire = string | number | boolean | null | readonly (string | number | boolean | null)[];
/** A condition as on the wire. */
export type Condition = readonly [field: string, operator: string, value: Wire];

/** Conditions that are accepted. */
export function conditions(): fc.Arbitrary<Condition> {
  const columns = doctype.columns.filter(
    (column) => column.fieldname !== 'name' && column.field?.fieldtype !== 'Password',
  );
  return fc.constantFrom(...columns).chain((column) => {
    const one = operands(column);
    const unset = fc.constantFrom(null, '');
    const orderable = column.kind === 'text' ? fc.oneof({ weight: 6, arbitrary: one }, unset) : one;
    const list = fc.array(fc.oneof({ weight: 5, arbitrary: one }, unset), { maxLength: 4 });
    const bound = column.kind === 'date' || column.kind === 'datetime' ? fc.oneof(one, unset) : one;
    const pieces = fc.constantFrom(
      '%',
      '_',
      '\\',
      '\\%',
      '\\_',
      '\\\\',
      'a',
      'A',
      'é',
      'SS',
      'Σ',
      '0',
      '1',
      '.',
      ':',
      '-',
      '00',
      'e',
    );
    const pattern = fc.oneof(
      fc.array(pieces, { maxLength: 5 }).map((some) => some.join('')),
      one.map((value) => `%${value}%`),
    );
    const field = fc.constant(column.fieldname);
    const spans = fc.constantFrom(...SPANS).map((words): Condition => {
      const [, operator = '', value = ''] = /^(\w+) (.*)$/.exec(words) ?? [];
      return [column.fieldname, operator, value];
    });
    const isDay = column.kind === 'date' || column.kind === 'datetime';
    return fc.oneof(
      ...(isDay ? [spans] : []),
      fc.tuple(field, fc.constantFrom('=', '!=', '<>'), fc.oneof({ weight: 6, arbitrary: one }, unset)),
      fc.tuple(field, fc.constantFrom('<', '<=', '>', '>='), orderable),
      fc.tuple(field, fc.constantFrom('in', 'not in', 'NOT IN', 'In'), list),
      fc.tuple(field, fc.constant('between'), fc.tuple(bound, bound)),
      fc.tuple(field, fc.constantFrom('like', 'not like', 'LIKE'), pattern),
      fc.tuple(field, fc.constant('is'), fc.constantFrom('set', 'not set', 'Set', 'NOT SET')),
    );
  });
}

/** Some rows, named in order. */
export const rows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record(
      Object.fromEntries(
        doctype.columns.map((column) => [
          column.fieldname,
          column.kind === 'datetime' && !column.field
            ? fc.constantFrom(...VALUES.datetime.slice(1))
            : values(column.kind),
        ]),
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((some) => some.map((row, index): Row => ({ ...row, name: `row-${index}` })));

/** A column that is there. */
export function columnOf(name: string): DocColumn {
  const column = doctype.columnByName.get(name);
  assert.ok(column);
  return column;
}
