/** What holds for every value, definition and table, not only for those someone thought of. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FIELDTYPES, fieldtypeOf } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { planTable, tableOf } from '../../src/doctype/schema-plan.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

const FIELDTYPE_NAMES = [...FIELDTYPES.keys()];
const TARGETED = ['Link', 'Table', 'Table MultiSelect'];

function sampleField(fieldtype: string, properties: object = {}) {
  const options = TARGETED.includes(fieldtype) ? 'User' : fieldtype === 'Dynamic Link' ? 'kind' : '';
  const fields = [
    { fieldname: 'kind', fieldtype: 'Data' },
    { fieldname: 'sample', fieldtype, options, ...properties },
  ];
  const field = parseDoctype({ name: 'Sample', fields }).fieldByName.get('sample');
  assert.ok(field);
  return field;
}

// Values near the edges of each family, which arbitrary JSON seldom hits.
const value = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.double({ min: -1e15, max: 1e15 }).map(String),
  fc.integer({ min: -1000, max: 1000 }).map((n) => n / 1e4),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d([ T][0-2]\d:[0-6]\d(:[0-6]\d(\.\d{1,6})?)?([+-]\d\d:\d\d|Z)?)?$/),
  fc.stringMatching(/^[0-2]?\d:[0-6]\d(:[0-6]\d(\.\d{1,6})?)?$/),
  fc.json(),
  fc.constantFrom(undefined, null, '', ' ', '0', '1', true, false, -0, '-0', Number.NaN, '__proto__'),
);

function outcome(work: () => unknown): { readonly value: unknown } | null {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

describe('every fieldtype', () => {
  for (const name of FIELDTYPE_NAMES) {
    test(`${name}: a stored value is stored as it is; anything else is a ServiceError`, () => {
      const fields = [sampleField(name), sampleField(name, { precision: 2, length: 20 })];
      fc.assert(
        fc.property(value, fc.constantFrom(...fields), (sent, field) => {
          const fieldtype = fieldtypeOf(field);
          const stored = outcome(() => fieldtype.coerce(sent, field));
          outcome(() => fieldtype.coerceOperand(sent, field));
          if (!stored) return;
          assert.deepEqual(fieldtype.coerce(stored.value, field), stored.value);
          if (stored.value === null) assert.equal(fieldtype.empty(field), null);
          else if (fieldtype.column === 'integer' || fieldtype.column === 'real') {
            assert.ok(Number.isFinite(stored.value) && !Object.is(stored.value, -0));
          } else assert.ok(typeof stored.value === 'string' && stored.value.isWellFormed());
        }),
        { numRuns: 300 },
      );
    });
  }

  test('a decimal with at most nine digits after the point is stored exactly', () => {
    const float = sampleField('Float');
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
        fc.integer({ min: 0, max: 9 }),
        (digits, point) => {
          const sent = Number(`${digits}e-${point}`);
          assert.equal(fieldtypeOf(float).coerce(sent, float), sent === 0 ? 0 : sent);
        },
      ),
    );
  });
});

const definition = fc.record(
  {
    name: fc.oneof(fc.constantFrom('Book', 'Sales Invoice'), fc.string(), fc.jsonValue()),
    istable: fc.jsonValue(),
    is_submittable: fc.constantFrom(0, 1, true, 'x'),
    autoname: fc.oneof(fc.constantFrom('hash', 'field:title', 'naming_series:', 'A-.##'), fc.jsonValue()),
    sort_field: fc.oneof(fc.constantFrom('title', 'modified'), fc.jsonValue()),
    search_fields: fc.jsonValue(),
    fields: fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.record(
          {
            fieldname: fc.oneof(fc.constantFrom('title', 'Title', 'naming_series', '__proto__'), fc.string()),
            label: fc.oneof(fc.string(), fc.jsonValue()),
            fieldtype: fc.oneof(fc.constantFrom(...FIELDTYPE_NAMES), fc.jsonValue()),
            options: fc.oneof(fc.constantFrom('User', 'A\nB'), fc.jsonValue()),
            default: fc.jsonValue(),
            reqd: fc.constantFrom(0, 1, '1', null, 'x'),
            length: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      ),
    ),
    permissions: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.dictionary(fc.constantFrom('role', 'read', 'submit', 'permlevel'), fc.jsonValue())),
    ),
  },
  { requiredKeys: [] },
);

// Definitions that may well be right, so that the rules behind the first ones are reached too.
const tame = fc.record(
  {
    name: fc.constant('Book'),
    istable: fc.constantFrom(0, 1),
    is_submittable: fc.constantFrom(0, 1),
    fields: fc.uniqueArray(
      fc.record({
        fieldname: fc.constantFrom('a', 'b', 'c', 'd'),
        fieldtype: fc.constantFrom(...FIELDTYPE_NAMES),
        options: fc.constantFrom('a', 'User'),
        default: fc.constantFrom(null, '1', 'Today'),
      }),
      { selector: (field) => field.fieldname },
    ),
  },
  { requiredKeys: ['name'] },
);

test('parsing any JSON gives a doctype or a ServiceError', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(tame, definition, fc.jsonValue()), (json) => {
      if (outcome(() => parseDoctype(json))) accepted += 1;
    }),
    { numRuns: 2000 },
  );
  assert.ok(accepted > 0, 'no definition was ever accepted: the generator is too wild to show anything');
});

const table = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      fc.constantFrom('Data', 'Int', 'Float', 'Date', 'Text'),
    ),
    { selector: ([fieldname]) => fieldname },
  )
  .map((fields) =>
    tableOf(
      parseDoctype({
        name: 'Book',
        fields: fields.map(([fieldname, fieldtype], index) => ({
          fieldname,
          fieldtype,
          search_index: fieldtype !== 'Text' && index % 2,
        })),
      }),
    ),
  );

test('a table needs nothing to become itself', () => {
  fc.assert(fc.property(table, (wanted) => assert.deepEqual(planTable(wanted, wanted), [])));
});

test('a plan, carried out, leaves nothing to do and loses no column', () => {
  fc.assert(
    fc.property(table, table, (before, wanted) => {
      const plan = outcome(() => planTable(wanted, before));
      if (!plan) return;
      let columns = [...before.columns];
      let indexes = [...before.indexes];
      for (const step of planTable(wanted, before)) {
        if (step.change === 'add_column') columns.push(step.column);
        else if (step.change === 'alter_column') {
          columns = columns.map((column) => (column.name === step.to.name ? step.to : column));
        } else if (step.change === 'create_index') indexes.push(step.index);
        else if (step.change === 'drop_index') indexes = indexes.filter((index) => index.name !== step.index);
        else assert.fail(step.change);
      }
      assert.deepEqual(planTable(wanted, { ...before, columns, indexes }), []);
      for (const column of before.columns) assert.ok(columns.some((kept) => kept.name === column.name));
    }),
  );
});
