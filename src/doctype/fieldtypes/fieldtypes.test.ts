import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ErrorType, ServiceError } from '../../kernel/errors.ts';
import type { DocField } from '../doctype.ts';
import { parseDoctype } from '../parse-doctype.ts';
import { FIELDTYPES, fieldtypeOf } from './fieldtypes.ts';

function field(fieldtype: string, properties: Record<string, unknown> = {}): DocField {
  const fields = [{ fieldname: 'f', label: 'The Field', fieldtype, ...properties }];
  const parsed = parseDoctype({ name: 'Sample', fields }).fieldByName.get('f');
  assert.ok(parsed);
  return parsed;
}

function coerce(fieldtype: string, value: unknown, properties?: Record<string, unknown>) {
  const parsed = field(fieldtype, properties);
  return fieldtypeOf(parsed).coerce(value, parsed);
}

const TEXTS = ['Data', 'Small Text', 'Long Text', 'Code', 'Read Only', 'Attach', 'Color', 'Text Editor'];

type Good = readonly [value: unknown, stored: unknown, properties?: Record<string, unknown>];
const GOOD: Readonly<Record<string, readonly Good[]>> = {
  ...Object.fromEntries(
    TEXTS.map((name): [string, Good[]] => [
      name,
      [
        ['text', 'text'],
        [' kept ', ' kept '],
        ['', ''],
        [null, null],
        [undefined, null],
        [42, '42'],
        [1.5, '1.5'],
        [true, '1'],
        [false, '0'],
        ['\u{1F600} é', '\u{1F600} é'],
        ['__proto__', '__proto__'],
      ],
    ]),
  ),
  Int: [
    [42, 42],
    ['42', 42],
    [' -7 ', -7],
    ['+3', 3],
    ['5.0', 5],
    [-0, 0],
    ['', 0],
    [null, 0],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', -Number.MAX_SAFE_INTEGER],
  ],
  Float: [
    [1.5, 1.5],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1e3', 1000],
    ['-0', 0],
    [0.1234567894, 0.123456789],
    [0.1234567895, 0.12345679],
    [-0.1234567895, -0.12345679],
    [5e-10, 1e-9],
    [4e-10, 0],
    [-4e-10, 0],
    [1e15, 1e15],
    ['-1,234', -1234],
    ['', 0],
  ],
  Currency: [
    [1.005, 1.005, { precision: 2 }],
    [-1.1234567895, -1.12345679, { precision: 2 }],
    [12345678901234.125, 12345678901234.125, { precision: 2 }],
    [' 1,234.56 ', 1234.56],
    ['+12,345,678.', 12345678],
  ],
  Percent: [
    [12.5, 12.5],
    ['1,000', 1000],
  ],
  Duration: [
    [90, 90],
    ['1.5', 1.5],
    [0, 0],
    ['-0', 0],
    ['', null],
    [' ', null],
    [null, null],
  ],
  Rating: [
    [0.6, 0.6],
    [1, 1],
    ['0', 0],
  ],
  Check: [
    [0, 0],
    [1, 1],
    [true, 1],
    [false, 0],
    ['0', 0],
    ['1', 1],
    ['true', 1],
    ['False', 0],
    ['', 0],
    [null, 0],
  ],
  Date: [
    ['2026-11-21', '2026-11-21'],
    ['2024-02-29', '2024-02-29'],
    ['2000-02-29', '2000-02-29'],
    ['2026-11-21 23:59:59', '2026-11-21'],
    ['2026-11-21T23:59:59.123456Z', '2026-11-21'],
    ['', null],
    [null, null],
  ],
  Datetime: [
    ['2026-11-21', '2026-11-21 00:00:00.000000'],
    ['2026-11-21 10:30', '2026-11-21 10:30:00.000000'],
    ['2026-11-21 10:30:15', '2026-11-21 10:30:15.000000'],
    ['2026-11-21T10:30:15.25', '2026-11-21 10:30:15.250000'],
    ['2026-11-21 10:30:15.123456', '2026-11-21 10:30:15.123456'],
    ['2026-11-21T10:30:15.123456Z', '2026-11-21 10:30:15.123456'],
    ['2026-11-21T10:30:15+05:30', '2026-11-21 05:00:15.000000'],
    ['2026-01-01T01:00:00.5+0200', '2025-12-31 23:00:00.500000'],
    ['0001-01-01', '0001-01-01 00:00:00.000000'],
    ['', null],
  ],
  Time: [
    ['09:30', '09:30:00.000000'],
    ['9:30:05', '09:30:05.000000'],
    ['23:59:59.999999', '23:59:59.999999'],
    ['', null],
    [null, null],
  ],
  Select: [
    ['Open', 'Open', { options: 'Open\nClosed' }],
    [' Open ', 'Open', { options: 'Open\nClosed' }],
    ['', '', { options: 'Open\nClosed' }],
    [null, null, { options: 'Open\nClosed' }],
    [null, '', { options: '\nOpen' }],
    [null, '', { options: ' \nOpen' }],
    [null, null, { options: '\nOpen', default: 'Open' }],
    ['', null, { options: '\nOpen', unique: 1 }],
    [2, '2', { options: '1\n2' }],
    ['anything', 'anything'],
  ],
  Link: [
    ['A', 'A', { options: 'User' }],
    ['', null, { options: 'User' }],
    ['e\u0301', '\u00e9', { options: 'User' }],
    [7, '7', { options: 'User' }],
  ],
  JSON: [
    [{ a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
    [[], '[]'],
    ['{ "a" : " b  c " ,\n"d": 1 }', '{"a":" b  c ","d":1}'],
    ['{"n": 12345678901234567890.10}', '{"n":12345678901234567890.10}'],
    ['{"\\"": "\\\\", "x": 1}', '{"\\"":"\\\\","x":1}'],
    [5, '5'],
    [true, 'true'],
    [false, 'false'],
    ['', null],
    [null, null],
    [JSON.parse('{"__proto__": {"a": 1}}'), '{"__proto__":{"a":1}}'],
  ],
  Password: [
    ['s3cret', 's3cret'],
    ['', ''],
    [null, null],
  ],
  'Section Break': [['anything', null]],
  Table: [[[{ a: 1 }], null, { options: 'User' }]],
};

const TOO_LONG: ErrorType = 'CharacterLengthExceededError';

type Bad = readonly [value: unknown, properties?: Record<string, unknown>, type?: ErrorType];
const BAD: Readonly<Record<string, readonly Bad[]>> = {
  ...Object.fromEntries(
    TEXTS.map((name): [string, Bad[]] => [
      name,
      [[['a']], [{ a: 1 }], ['nul\0'], ['\ud800'], ['\udc00x'], ['12345', { length: 4 }, TOO_LONG]],
    ]),
  ),
  Data: [
    [['a']],
    ['nul\0'],
    ['\ud800'],
    [2 ** 53],
    [Number.POSITIVE_INFINITY],
    ['x'.repeat(141), {}, TOO_LONG],
    ['\u{1F600}'.repeat(141), {}, TOO_LONG],
    ['nobody', { options: 'Email' }, 'InvalidEmailAddressError'],
    ['a@b', { options: 'Email' }, 'InvalidEmailAddressError'],
    ['a@b..c', { options: 'Email' }, 'InvalidEmailAddressError'],
    ['a b@c.de', { options: 'Email' }, 'InvalidEmailAddressError'],
    ['a@b.de, nobody', { options: 'Email' }, 'InvalidEmailAddressError'],
    ['call me', { options: 'Phone' }, 'InvalidPhoneNumberError'],
    ['+-', { options: 'Phone' }, 'InvalidPhoneNumberError'],
    ['example.com', { options: 'URL' }],
    ['javascript:alert(1)', { options: 'URL' }],
    ['javascript://x/%0aalert(1)', { options: 'URL' }],
    ['http://', { options: 'URL' }],
    ['<b>', { options: 'Name' }, 'InvalidNameError'],
    ['Jane@Roe', { options: 'Name' }, 'InvalidNameError'],
  ],
  Int: [
    ['abc'],
    ['1.5'],
    [1.5],
    ['1e3'],
    ['1,234'],
    [2 ** 53],
    ['9007199254740993'],
    [true],
    [[]],
    [{}],
    [Number.NaN],
    ['0x10'],
    [-1, { non_negative: 1 }, 'NonNegativeError'],
  ],
  Float: [
    ['abc'],
    ['1,5'],
    ['1,2345'],
    ['0,123'],
    ['-012,345.5'],
    ['1234,567'],
    ['1,234,56'],
    ['1,,234'],
    [',123'],
    ['1,234e3'],
    ['1.234,567'],
    ['9,999,999,999,999,999'],
    ['1e400'],
    [Number.POSITIVE_INFINITY],
    [1e16],
    [-1e16],
    [[1]],
    ['1 2'],
    [-0.1, { non_negative: 1 }, 'NonNegativeError'],
  ],
  Duration: [[-1, {}, 'NonNegativeError'], ['1,234']],
  Rating: [[1.1], [-0.1], [5]],
  Check: [[2], ['yes'], [-1], ['on'], [[]], [0.5]],
  Date: [
    ['2026-02-29'],
    ['1900-02-29'],
    ['2026-13-01'],
    ['2026-00-10'],
    ['21-11-2026'],
    ['0000-01-01'],
    [20261121],
    ['2026-11-21x'],
    [true],
    ['2026-11-21 25:00'],
  ],
  Datetime: [
    ['tomorrow'],
    ['2026-11-21 24:00:00'],
    ['2026-11-21 10:60'],
    ['2026-11-21 10:30:15.1234567'],
    ['0001-01-01T00:00:00+01:00'],
    ['9999-12-31T23:59:59-01:00'],
    ['2026-11-21T10:30:15+15:00'],
    [0],
    [{}],
  ],
  Time: [['25:00:00'], ['24:00'], ['10:60'], ['10:30:60'], ['10'], ['noon'], ['10:30:00Z']],
  Select: [
    ['Lost', { options: 'Open\nClosed' }],
    ['open', { options: 'Open\nClosed' }],
    [['Open'], { options: 'Open\nClosed' }],
  ],
  Link: [
    ['x'.repeat(141), { options: 'User' }, TOO_LONG],
    [['A'], { options: 'User' }],
  ],
  JSON: [['{'], ['hello'], ['[1,]'], ['['.repeat(33) + ']'.repeat(33)], [`"${'\0'}"`]],
  Password: [['x'.repeat(513), {}, TOO_LONG], [['x']]],
  Table: [
    ['rows', { options: 'User' }],
    [{}, { options: 'User' }],
  ],
};

test('there are 43 fieldtypes', () => assert.equal(FIELDTYPES.size, 43));

for (const [fieldtype, cases] of Object.entries(GOOD)) {
  describe(`${fieldtype} accepts`, () => {
    for (const [value, stored, properties] of cases) {
      test(`${JSON.stringify(value)} as ${JSON.stringify(stored)}`, () => {
        assert.deepEqual(coerce(fieldtype, value, properties), stored);
      });
    }
  });
}

for (const [fieldtype, cases] of Object.entries(BAD)) {
  describe(`${fieldtype} refuses`, () => {
    for (const [value, properties, type = 'ValidationError'] of cases) {
      test(`${JSON.stringify(value)?.slice(0, 60)} with ${type}`, () => {
        assert.throws(
          () => coerce(fieldtype, value, properties),
          (error) =>
            error instanceof ServiceError && error.type === type && error.message.includes('The Field'),
        );
      });
    }
  });
}

test('formats of Data accept valid values', () => {
  const cases = {
    Email: [
      'a@b.de',
      'Jane Roe <jane.roe+tag@mail.example.com>',
      'a@b.de, c@d.ef',
      'jane@exämple.org',
      'Administrator',
    ],
    Phone: ['+49 (30) 123-456', '112'],
    URL: ['https://example.com/a?b=c', 'http://localhost:8000', 'ftp://host/file'],
    Name: ['Anne-Marie O’Neil', '李小龙'],
    Unknown: ['anything at all'],
  };
  for (const [options, texts] of Object.entries(cases)) {
    for (const text of texts) assert.equal(coerce('Data', text, { options }), text);
  }
});

test('an empty unique field is stored as null, so many may be empty', () => {
  assert.equal(coerce('Data', '', { unique: 1 }), null);
});

test('length counts code points', () => {
  const faces = '\u{1F600}'.repeat(140);
  assert.equal(coerce('Data', faces), faces);
});

test('a naming series need not be one of the options', () => {
  const naming = parseDoctype({
    name: 'Sample',
    fields: [{ fieldname: 'naming_series', fieldtype: 'Select', options: 'A-.#' }],
  }).fields[0];
  assert.ok(naming);
  assert.equal(fieldtypeOf(naming).coerce('B-.#', naming), 'B-.#');
});

test('a comparison value ignores options, length, format and range', () => {
  const cases: readonly [string, Record<string, unknown>, unknown, unknown][] = [
    ['Select', { options: 'Open' }, 'Gone', 'Gone'],
    ['Data', { options: 'Email' }, 'x'.repeat(200), 'x'.repeat(200)],
    ['Int', { non_negative: 1 }, '-1.5', -1.5],
    ['Currency', { precision: 2 }, '1,234.565', 1234.565],
    ['Datetime', {}, '2026-11-21', '2026-11-21 00:00:00.000000'],
    ['Check', {}, true, 1],
  ];
  for (const [fieldtype, properties, value, expected] of cases) {
    const parsed = field(fieldtype, properties);
    assert.equal(fieldtypeOf(parsed).coerceOperand(value, parsed), expected);
  }
  const date = field('Date');
  assert.throws(() => fieldtypeOf(date).coerceOperand('junk', date), ServiceError);
});

test('a message quotes a bounded piece of a huge value', () => {
  assert.throws(
    () => coerce('Int', 'x'.repeat(1_000_000)),
    (error) => error instanceof ServiceError && error.message.length < 300,
  );
});
