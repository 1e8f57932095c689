/** Every fieldtype through the wire: what is stored, what is refused, and that all replies agree about it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { describeEither } from '../support/describe-site.ts';
import { assertEnvelope } from '../support/wire.ts';

type Good = readonly [sent: unknown, stored: unknown];
type Bad = readonly [sent: unknown, exc_type?: string];

interface Cases {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly good: readonly Good[];
  readonly bad: readonly Bad[];
}

/** Refused with the body, before anyone looks at fields. */
const MALFORMED = 'BadRequestError';
const TOO_LONG = 'CharacterLengthExceededError';
const BIG = 'é'.repeat(200_000);
const GEO = '{"type":"FeatureCollection","features":[]}';

/** Text that no column, and nothing on the way to one, may change. */
const TEXTS: readonly Good[] = [
  ['text', 'text'],
  [' kept ', ' kept '],
  ['\'; drop table x; -- "` \\ %_ \r\n\t', '\'; drop table x; -- "` \\ %_ \r\n\t'],
  ['a < b & c > d', 'a < b & c > d'],
  ['\u{1F600} e\u0301 \u200b \ufeff \u2028', '\u{1F600} e\u0301 \u200b \ufeff \u2028'],
  ['', ''],
  [null, undefined],
  [42, '42'],
  [1.5, '1.5'],
  [true, '1'],
  ['null', 'null'],
  ['__proto__', '__proto__'],
];
const NOT_TEXT: readonly Bad[] = [
  [['a']],
  [{ a: 1 }],
  ['nul\0', MALFORMED],
  ['\ud800', MALFORMED],
  ['x\udc00', MALFORMED],
];

const line: Cases = {
  good: [...TEXTS, ['<b onclick=x>b</b>', '<b>b</b>'], ['\u{1F600}'.repeat(140), '\u{1F600}'.repeat(140)]],
  bad: [...NOT_TEXT, ['x'.repeat(141), TOO_LONG]],
};
const long: Cases = {
  good: [...TEXTS, [BIG, BIG], ['<img src=x onerror=y>', '&lt;img src=x onerror=y&gt;']],
  bad: [...NOT_TEXT, ['x'.repeat(16 * 1024 * 1024 + 1), TOO_LONG]],
};
const rich: Cases = { good: [...TEXTS, ['<img src=x onerror=y>', '<img src="x" />']], bad: NOT_TEXT };
const raw: Cases = {
  good: [...TEXTS, ['<script>1</script>', '<script>1</script>'], [BIG, BIG]],
  bad: NOT_TEXT,
};
const decimal: Cases = {
  good: [
    [1.5, 1.5],
    ['1.5', 1.5],
    ['1e3', 1000],
    [0.1 + 0.2, 0.3],
    [0.123456789, 0.123456789],
    [-0, 0],
    [123456789012.123, 123456789012.123],
    [1e15, 1e15],
    ['1,234.56', 1234.56],
    ['', 0],
    [null, 0],
  ],
  bad: [['abc'], ['1,5'], ['1,2345'], [1e16], ['1e400'], [[1]], [{}], ['NaN'], ['Infinity'], [true]],
};
const layout: Cases = {
  good: [
    ['anything', undefined],
    [{ a: 1 }, undefined],
  ],
  bad: [],
};
const row = (value: unknown) => [{ item: value }];

const CASES: Readonly<Record<string, Cases>> = {
  Data: line,
  'Read Only': line,
  Color: { ...line, good: [...line.good, ['#ff00aa', '#ff00aa']] },
  Icon: line,
  Autocomplete: line,
  Phone: {
    good: [
      ['+49 (30) 123-456', '+49 (30) 123-456'],
      ['+91-9999999999', '+91-9999999999'],
      ['', ''],
      [null, undefined],
    ],
    bad: [['call me', 'InvalidPhoneNumberError'], ['<b>1</b>', 'InvalidPhoneNumberError'], [['1']]],
  },
  'Small Text': long,
  Text: long,
  'Long Text': long,
  Signature: { ...rich, good: [...TEXTS, ['data:image/png;base64,AA==', 'data:image/png;base64,AA==']] },
  'Text Editor': rich,
  'HTML Editor': rich,
  'Markdown Editor': { ...rich, good: [...rich.good, ['# a\n> b\n`a < b`', '# a\n> b\n`a < b`']] },
  Code: raw,
  Barcode: {
    ...raw,
    good: [...raw.good, ['<svg data-barcode-value="1"></svg>', '<svg data-barcode-value="1"></svg>']],
  },
  Attach: raw,
  'Attach Image': raw,
  Select: {
    properties: { options: '\nOpen\na < b\n2' },
    good: [
      ['Open', 'Open'],
      [' Open ', 'Open'],
      ['a < b', 'a < b'],
      [2, '2'],
      ['', ''],
      [null, ''],
    ],
    bad: [['open'], ['Lost'], [['Open']]],
  },
  Link: {
    properties: { options: 'Item' },
    good: [
      ['A', 'A'],
      ['', undefined],
      [null, undefined],
      ['e\u0301', 'é'],
    ],
    bad: [
      ['nowhere', 'LinkValidationError'],
      ['a', 'LinkValidationError'],
      [['A']],
      ['x'.repeat(141), TOO_LONG],
    ],
  },
  'Dynamic Link': {
    properties: { options: 'kind' },
    good: [
      ['A', 'A'],
      ['', undefined],
      [null, undefined],
    ],
    bad: [['nowhere', 'LinkValidationError'], [{ name: 'A' }]],
  },
  Int: {
    good: [
      [42, 42],
      [' -7 ', -7],
      ['5.0', 5],
      [2 ** 53 - 1, 2 ** 53 - 1],
      ['-9007199254740991', -(2 ** 53 - 1)],
      ['', 0],
      [null, 0],
    ],
    bad: [['abc'], [1.5], [2 ** 53], ['9007199254740993'], ['1e3'], [true], [[1]], [{}]],
  },
  Check: {
    good: [
      [1, 1],
      [0, 0],
      [true, 1],
      ['0', 0],
      ['true', 1],
      ['', 0],
      [null, 0],
    ],
    bad: [[2], ['yes'], [-1], [0.5], [[1]]],
  },
  Float: decimal,
  Currency: {
    ...decimal,
    properties: { precision: 2 },
    good: [...decimal.good, [1.2345678915, 1.234567892]],
  },
  Percent: { ...decimal, good: [...decimal.good, [250, 250], [-5, -5]] },
  Duration: {
    good: [
      [90, 90],
      ['3600.5', 3600.5],
      [0, 0],
      ['', undefined],
      [null, undefined],
    ],
    bad: [[-1, 'NonNegativeError'], ['1h'], [[1]]],
  },
  Rating: {
    good: [
      [0.6, 0.6],
      [1, 1],
      ['0', 0],
      [null, 0],
    ],
    bad: [[1.1], [-0.1], [5], ['good']],
  },
  Date: {
    good: [
      ['2024-02-29', '2024-02-29'],
      ['2026-11-21T23:59:59Z', '2026-11-21'],
      ['', undefined],
      [null, undefined],
    ],
    bad: [['2026-02-29'], ['21-11-2026'], [20261121], ['soon'], [['2026-01-01']]],
  },
  Datetime: {
    good: [
      ['2026-11-21', '2026-11-21 00:00:00'],
      ['2026-11-21T10:30:15+05:30', '2026-11-21 05:00:15'],
      ['2026-11-21 10:30', '2026-11-21 10:30:00'],
      ['9999-12-31 23:59:59', '9999-12-31 23:59:59'],
      ['', undefined],
    ],
    bad: [['2026-11-21 24:00:00'], ['now'], [0], [{}]],
  },
  Time: {
    good: [
      ['09:30', '09:30:00'],
      ['23:59:59', '23:59:59'],
      ['', undefined],
      [null, undefined],
    ],
    bad: [['24:00'], ['25:00:00'], ['noon'], [930]],
  },
  JSON: {
    good: [
      [{ b: [1, { a: null }], '<i>': '<script>' }, '{"b":[1,{"a":null}],"<i>":"<script>"}'],
      [[1, 2], '[1,2]'],
      ['{ "n": 12345678901234567890.10 }', '{"n":12345678901234567890.10}'],
      ['"text"', '"text"'],
      [5, '5'],
      [true, 'true'],
      [false, 'false'],
      ['true', 'true'],
      ['', undefined],
      [null, undefined],
    ],
    bad: [['{'], ['hello'], ['['.repeat(40) + ']'.repeat(40)]],
  },
  Geolocation: {
    good: [
      [JSON.parse(GEO), GEO],
      [GEO, GEO],
      ['', undefined],
    ],
    bad: [['52.5, 13.4'], [[52.5, 13.4]], [{ lat: 1 }], ['"Point"']],
  },
  Password: {
    good: [
      ['s3cret', '**********'],
      ['***', undefined],
      ['', undefined],
      [null, undefined],
    ],
    bad: [['x'.repeat(513), TOO_LONG], [['x']], ['nul\0', MALFORMED]],
  },
  Table: {
    properties: { options: 'Row' },
    good: [
      [row('A'), row('A')],
      [[{}], [{}]],
      [[], []],
      [null, []],
    ],
    bad: [['rows'], [{}], [['x']], [row('nowhere'), 'LinkValidationError'], [[{ qty: 'many' }]]],
  },
  'Table MultiSelect': {
    properties: { options: 'Row' },
    good: [
      [
        [...row('A'), ...row('é')],
        [...row('A'), ...row('é')],
      ],
      [[], []],
    ],
    bad: [['A'], [['A']], [row(null), 'MandatoryError'], [row('nowhere'), 'LinkValidationError']],
  },
  'Section Break': layout,
  'Column Break': layout,
  'Tab Break': layout,
  HTML: layout,
  Button: layout,
  Image: { ...layout, properties: { options: 'attach_image' } },
  Fold: layout,
  Heading: layout,
};

const fieldnameOf = (fieldtype: string) => fieldtype.toLowerCase().replaceAll(' ', '_');

const EVERYTHING = {
  name: 'Everything',
  fields: [
    { fieldname: 'kind', fieldtype: 'Data', default: 'Item' },
    ...Object.entries(CASES).map(([fieldtype, { properties }]) => ({
      fieldname: fieldnameOf(fieldtype),
      fieldtype,
      ...properties,
    })),
    { fieldname: 'last', fieldtype: 'Section Break' },
  ],
};

/** A table's rows without what the server adds to them. */
function shown(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map(({ item }) => (item === undefined ? {} : { item }));
}

test('the table has all 43 fieldtypes', () => {
  assert.deepEqual(Object.keys(CASES).sort(), [...FIELDTYPES.keys()].sort());
});

describeEither('fieldtypes', {}, (site) => {
  before(async () => {
    const doctypes = [
      { name: 'Item', autoname: 'Prompt', fields: [{ fieldname: 'title', fieldtype: 'Data' }] },
      {
        name: 'Row',
        istable: 1,
        fields: [
          { fieldname: 'item', fieldtype: 'Link', options: 'Item' },
          { fieldname: 'qty', fieldtype: 'Int' },
        ],
      },
      EVERYTHING,
    ];
    for (const body of doctypes) {
      await site.make('DocType', body);
    }
    for (const name of ['A', 'é']) await site.request('POST', '/api/resource/Item', { body: { name } });
  });

  for (const [fieldtype, { good, bad }] of Object.entries(CASES)) {
    const fieldname = fieldnameOf(fieldtype);

    test(`${fieldtype} keeps ${good.length} values; every reply shows the same`, async () => {
      for (const [sent, stored] of good) {
        const what = JSON.stringify(sent)?.slice(0, 80);
        const made = await site.request('POST', '/api/resource/Everything', { body: { [fieldname]: sent } });
        assert.equal(made.status, 200, `${what}: ${made.text.slice(0, 300)}`);
        assert.deepEqual(shown(made.body.data[fieldname]), stored, what);
        const path = `/api/resource/Everything/${made.body.data.name}`;
        const got = await site.request('GET', path);
        assert.deepEqual(got.body, made.body, what);
        // A client sends back what it read; and an update stores what a creation does.
        const put = await site.ok('PUT', path, { body: got.body.data });
        assert.deepEqual(shown(put[fieldname]), stored, what);
        if (FIELDTYPES.get(fieldtype)?.column === null) continue;
        const filters = encodeURIComponent(JSON.stringify({ name: made.body.data.name }));
        const listed = await site.request(
          'GET',
          `/api/resource/Everything?fields=["${fieldname}"]&filters=${filters}`,
        );
        assert.deepEqual(listed.body.data, [{ [fieldname]: stored ?? null }], what);
        if (typeof sent !== 'boolean') continue;
        const equal = encodeURIComponent(JSON.stringify({ name: made.body.data.name, [fieldname]: sent }));
        const found = await site.request('GET', `/api/resource/Everything?filters=${equal}`);
        assert.equal(found.body.data.length, 1, `${what} is found by what was sent`);
      }
    });

    test(`${fieldtype} refuses ${bad.length} values and stores nothing`, async () => {
      const path = `/api/resource/Everything/${(await site.make('Everything', {})).name}`;
      const before = await site.request('GET', path);
      for (const [sent, type = 'ValidationError'] of bad) {
        for (const [method, address] of [
          ['POST', '/api/resource/Everything'],
          ['PUT', path],
        ] as const) {
          const reply = await site.request(method, address, { body: { [fieldname]: sent } });
          assertEnvelope(reply, type);
          assert.ok(reply.text.length < 4_000, 'a refusal repeats only a piece of what was sent');
        }
      }
      assert.deepEqual((await site.request('GET', path)).body, before.body);
    });
  }

  test('layout cannot be asked for in lists; a child table comes as rows', async () => {
    for (const fieldname of ['section_break', 'html']) {
      const reply = await site.request('GET', `/api/resource/Everything?fields=["${fieldname}"]`);
      assertEnvelope(reply, 'DataError');
    }
    const listed = await site.ok('GET', '/api/resource/Everything?fields=["table"]');
    assert.ok(listed.every((row: { table: unknown }) => Array.isArray(row.table)));
  });
});
