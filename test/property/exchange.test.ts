/** What is written is what is read: every format, every fieldtype, child rows, and texts of every kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FIELDTYPES, fieldtypeOf } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { readHead, readRecords } from '../../src/exchange/file-form.ts';
import { guardFormula, unguardFormula } from '../../src/exchange/formula-guard.ts';
import { FORMATS } from '../../src/exchange/line.ts';
import { Matcher } from '../../src/exchange/match-columns.ts';
import { targetsOf } from '../../src/exchange/targets.ts';
import { type ExportColumn, writeRecords } from '../../src/exchange/write-records.ts';

// A Dynamic Link names the field of its doctype, and is tried beside it.
const STORED = [...FIELDTYPES.values()].filter(
  ({ column, name }) => column !== null && name !== 'Dynamic Link',
);
const fields = STORED.map(({ name }) => ({
  fieldname: `f_${name.toLowerCase().replaceAll(' ', '_')}`,
  label: `The ${name}`,
  fieldtype: name,
  ...(name === 'Link' ? { options: 'Sample' } : {}),
  ...(name === 'Select' ? { options: 'Open\n-Closed\n=1+1' } : {}),
}));
const dynamic = { fieldname: 'of', label: 'Of', fieldtype: 'Dynamic Link', options: 'f_link' };
const row = parseDoctype({ name: 'Sample Row', istable: 1, fields: [...fields, dynamic] });
const items = { fieldname: 'items', label: 'Items', fieldtype: 'Table', options: 'Sample Row' };
const sample = parseDoctype({ name: 'Sample', fields: [...fields, dynamic, items] });
const childOf = () => row;

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', ',', ';', '"', '_x0041_', 'ä', ' '),
  }),
);
const clock = fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.constantFrom(0, 0, 120_000, 123_456));
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const time = clock.map(([hour, minute, second, micros]) => {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(hour)}:${two(minute)}:${two(second)}.${String(micros).padStart(6, '0')}`;
});

const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Int: fc.maxSafeInteger(),
  Check: fc.nat(1),
  ...Object.fromEntries(
    ['Float', 'Currency', 'Percent'].map((name) => [name, fc.double({ min: -1e15, max: 1e15, noNaN: true })]),
  ),
  Duration: fc.nat(10_000_000),
  Rating: fc.double({ min: 0, max: 1, noNaN: true }),
  Date: day,
  Datetime: fc.tuple(day, time).map((parts) => parts.join(' ')),
  Time: time,
  Select: fc.constantFrom('Open', '-Closed', '=1+1'),
  Phone: fc.constantFrom('+49 30 123', '-1'),
  JSON: fc.jsonValue().map((value) => JSON.stringify(value)),
  Geolocation: fc.constant('{"type":"FeatureCollection","features":[]}'),
  Link: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((name) => name.trim()),
  'Dynamic Link': fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((name) => name.trim()),
};

/** A row as the database stores it. An empty text and no value are the same in a file. */
function stored(doctype: typeof sample) {
  const arbitraries = [...doctype.fieldByName.values()]
    .filter((field) => fieldtypeOf(field).column !== null)
    .map((field) => {
      const value = fc.option(VALUES[field.fieldtype] ?? text).map((one) => {
        const value = fieldtypeOf(field).coerce(one, field);
        return value === '' ? null : value;
      });
      return [field.fieldname, value] as const;
    });
  return fc.record(Object.fromEntries(arbitraries), { noNullPrototype: true });
}

const columns: readonly ExportColumn[] = [
  { head: 'name', fieldname: 'name', table: null, field: null },
  ...[...fields, dynamic].flatMap(({ fieldname }) => {
    const [field = null, ofRow = null] = [sample.fieldByName.get(fieldname), row.fieldByName.get(fieldname)];
    return [
      { head: fieldname, fieldname, table: null, field },
      { head: `items.${fieldname}`, fieldname, table: 'items', field: ofRow },
    ];
  }),
];

const filled = stored(row).filter((one) =>
  Object.values(one).some((value) => value !== null && !/^\s*$/.test(String(value))),
);
const documents = fc
  .array(fc.record({ doc: stored(sample), items: fc.array(filled, { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((all) =>
    all.map(({ doc, items }, at): Record<string, unknown> => ({ name: `Doc ${at}`, ...doc, items })),
  );

/** The values as a document would store them. */
function storedForm(
  values: Readonly<Record<string, unknown>>,
  doctype: typeof sample,
): Record<string, unknown> {
  return Object.fromEntries(
    [...doctype.fieldByName.values()]
      .filter((field) => fieldtypeOf(field).column !== null)
      .map((field) => {
        const value = fieldtypeOf(field).coerce(values[field.fieldname] ?? null, field);
        return [field.fieldname, value === '' ? null : value];
      }),
  );
}

for (const format of FORMATS) {
  test(`${format}: documents that are written and read again are equal`, async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(5_000), async (docs, size) => {
        async function* pages() {
          yield docs.slice(0, 1);
          yield docs.slice(1);
        }
        const pieces: Uint8Array[] = [];
        for await (const piece of writeRecords(pages(), columns, format, 'Sample')) pieces.push(piece);
        const bytes = Buffer.concat(pieces);
        async function* open() {
          for (let at = 0; at < bytes.length; at += size + 1) yield bytes.subarray(at, at + size + 1);
        }
        const targets = targetsOf(sample, childOf);
        const matcher = new Matcher(targets);
        const choices = { dates: 'ymd', decimal: '.' } as const;
        const head = await readHead(open, `sample.${format}`, targets, matcher, choices);
        const read = [];
        for await (const one of readRecords(open, head.form, head.columns, matcher)) read.push(one);
        assert.deepEqual(
          read.flatMap(({ bad }) => bad),
          [],
        );
        const again = read.map(({ values }) => ({
          name: values['name'],
          ...storedForm(values, sample),
          items: ((values['items'] ?? []) as Record<string, unknown>[]).map((one) => storedForm(one, row)),
        }));
        assert.deepEqual(again, docs);
      }),
      { numRuns: 12 },
    );
  });
}

test('a guarded text comes back as it was, and no spreadsheet runs it', () => {
  fc.assert(
    fc.property(text, (one) => {
      const guarded = guardFormula(one);
      assert.equal(unguardFormula(guarded), one);
      assert.doesNotMatch(guarded, /^[=+\-@\t\r\n]/);
    }),
  );
});
