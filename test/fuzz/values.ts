import fc from 'fast-check';
import type { DocField } from '../../src/doctype/doctype.ts';
import { shortAttack } from './attacks.ts';
import type { World } from './world.ts';

/** Any value of JSON. */
export type Value = fc.Arbitrary<unknown>;

const LONG = 'x'.repeat(141);

/** Texts that have broken servers before: SQL, paths, prototypes, controls, halves of characters, lengths. */
const HOSTILE: readonly string[] = [
  '',
  ' ',
  '0',
  'null',
  'undefined',
  'NaN',
  'true',
  '*',
  '%',
  '\\',
  "'",
  '"',
  '`',
  "' or 1=1 --",
  "'; drop table x; --",
  'name) from x --',
  '..',
  '../../etc/passwd',
  '..\\..\\x',
  '/',
  'a/b',
  'a/copy',
  'a/method/submit',
  'bulk_update',
  '%2F',
  '%00',
  '%ff',
  '%zz',
  '50% off',
  '?',
  '#',
  '&',
  '+',
  ';',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  '{',
  '[',
  '[]',
  '{}',
  '[[]]',
  '{"a":"\\u0000"}',
  '["\\ud800"]',
  '[1e999]',
  '"',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '\ufeff',
  '\u2028',
  '\u200b',
  '\u202e',
  '\r\n',
  'a\r\nX-Injected: 1',
  '\t',
  '\x7f',
  '\u0085',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'ς',
  '😀',
  '👩‍👩‍👧',
  '<script>alert(1)</script>',
  '<svg onload=x>',
  '{{ doc.name }}',
  '{{ 7*7 }}',
  '#{7*7}',
  'doc.docstatus == 1',
  'eval:doc.qty > 0',
  'javascript:alert(1)',
  'http://127.0.0.1:1/x',
  'http://169.254.169.254/',
  'file:///etc/passwd',
  '/files/x.txt',
  '/private/files/x.txt',
  'data:text/plain;base64,AAAA',
  '1',
  '-1',
  '1e3',
  '1e400',
  '9007199254740993',
  '99999999999999999999',
  '-0',
  '0x10',
  '1,5',
  '٣',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31 23:59:59.999999',
  '10000-01-01',
  '2026-01-01T00:00:00+99:99',
  '24:00:00',
  '25:61',
  LONG,
  'é'.repeat(140),
  '😀'.repeat(141),
  'y'.repeat(5_000),
  '['.repeat(40) + ']'.repeat(40),
  '_user',
  '_api_key',
  'sqlite_master',
  'pg_catalog.pg_class',
  'tabUser',
  '.####',
  'field:',
  'format:{x}',
  'hash',
  'Prompt',
];

/** A text that no honest client sends, or one it rarely does. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 160 }) },
  { weight: 1, arbitrary: shortAttack },
);

/** Deep and wide JSON. */
const bulky: Value = fc.constantFrom<unknown>(
  nested(31),
  nested(33),
  nested(2_000),
  Array.from({ length: 1_200 }, (_, index) => index),
  Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`k${index}`, index])),
  Array.from({ length: 600 }, () => ({})),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at += 1) value = at % 2 ? { a: value } : [value];
  return value;
}

const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  2,
  5,
  0.1,
  1.5,
  -2.5,
  1e15,
  1e16,
  1e300,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  -(2 ** 53) - 2,
  2 ** 63,
];

const hostileNumber: fc.Arbitrary<number> = fc.constantFrom(...NUMBERS);

/** Anything at all in the place of a value. */
export const junk: Value = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: hostileNumber },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { a: 1 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 4 }) },
);

export const rareJunk: Value = fc.oneof({ weight: 30, arbitrary: junk }, { weight: 1, arbitrary: bulky });

/** A value as text: itself, or its JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Usually `good`, sometimes something else. */
export function mostly<T>(good: fc.Arbitrary<T>, other: fc.Arbitrary<unknown> = junk): Value {
  return fc.oneof({ weight: 19, arbitrary: good }, { weight: 1, arbitrary: other });
}

const plainText = fc.oneof(
  fc.constantFrom('a', 'b', 'Alpha', 'beta', 'x y', 'é', '', '1'),
  fc.string({ maxLength: 12 }),
);
const date = fc.constantFrom('2026-01-01', '2026-03-15', '1970-01-01', '2024-02-29', '9999-12-31', '');
const time = fc.constantFrom('00:00:00', '9:30', '23:59:59.999999', '');

const OF_TYPE: Readonly<Record<string, Value>> = {
  Int: fc.oneof(fc.integer({ min: -5, max: 1_000 }), fc.constantFrom<unknown>('7', '', null, 2 ** 53 - 1)),
  Check: fc.constantFrom<unknown>(0, 1, true, false, '1', ''),
  Float: fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constantFrom<unknown>('1.5', 0, '')),
  Currency: fc.oneof(fc.integer({ min: 0, max: 9_999 }), fc.constantFrom<unknown>(1e15, 0.005, '-3.3')),
  Percent: fc.integer({ min: -10, max: 200 }),
  Rating: fc.constantFrom<unknown>(0, 0.2, 1, '0.5'),
  Duration: fc.constantFrom<unknown>(0, 90, '3600.5'),
  Date: date,
  Datetime: fc.oneof(date, fc.constantFrom('2026-01-01 10:00:00', '2026-11-21T10:30:15+05:30')),
  Time: time,
  JSON: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('{"a":1}', '[1,2]', '"text"')),
  Geolocation: fc.constantFrom<unknown>('{"type":"FeatureCollection","features":[]}', '', null),
  Phone: fc.constantFrom('+49 30 123456', ''),
  Password: fc.constantFrom('s3cret-s3cret', '**********', ''),
  Attach: fc.constantFrom('/files/x.txt', '/private/files/x.txt', 'https://example.com/a', ''),
  Color: fc.constantFrom('#ff00aa', 'red', ''),
};

/** A value of one field: usually one that it can hold. Rows of child tables go `depth` tables deep. */
export function fieldValue(world: World, field: DocField, depth = 1): Value {
  return fc.oneof(
    { weight: 29, arbitrary: fitting(world, field, depth) },
    { weight: 1, arbitrary: rareJunk },
  );
}

function fitting(world: World, field: DocField, depth: number): Value {
  const { fieldtype, options } = field;
  if (fieldtype === 'Link') return fc.nat().map((pick) => world.nameOf(options, pick));
  if (fieldtype === 'Dynamic Link') return fc.nat().map((pick) => world.nameOf('Leaf', pick));
  if (fieldtype === 'Select') return fc.constantFrom(...options.split('\n'));
  if (fieldtype === 'Table' || fieldtype === 'Table MultiSelect') {
    const child = world.doctype(options);
    if (!child || depth === 0) return fc.constant([]);
    const row = fc.record(
      Object.fromEntries(child.fields.map((one) => [one.fieldname, fieldValue(world, one, depth - 1)])),
      { requiredKeys: child.fields.filter((one) => one.reqd).map((one) => one.fieldname) },
    );
    return fc.array(mostly(row), { maxLength: 3 });
  }
  if (fieldtype === 'Data' && options === 'Email') return fc.constantFrom('a@example.com', 'b@example.com');
  if (fieldtype === 'Attach Image') return OF_TYPE['Attach'] ?? plainText;
  return OF_TYPE[fieldtype] ?? plainText;
}
