/** The reply of a row is the reply of its document, for every doctype and every stored value. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import type { Row } from '../../src/db/database.ts';
import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { buildRegistry } from '../../src/doctype/registry.ts';
import { readContext } from '../../src/document/context.ts';
import { entityTag } from '../../src/document/load/entity-tag.ts';
import { presentDocument } from '../../src/document/load/present.ts';
import { isTextOfRow } from '../../src/document/load/stored-text.ts';
import { readDocumentWithRevision, readStored } from '../../src/document/verbs/read.ts';
import type { FieldValue } from '../../src/kernel/value.ts';
import { describeSite } from '../support/describe-site.ts';
import { fill } from '../support/tables.ts';

/** Values as they are stored, for each kind of column. */
const VALUES: Readonly<Record<string, fc.Arbitrary<FieldValue>>> = {
  text: fc.oneof(
    fc.constantFrom(
      '',
      '"',
      '\\',
      '\u2028</script>',
      '\u007f\u0001\b\f',
      'null',
      '{"a":null}',
      ',"doctype":',
    ),
    fc.string({ unit: 'grapheme' }).map((text) => text.toWellFormed().replaceAll('\0', '')),
  ),
  integer: fc.oneof(fc.constantFrom(0, 1, -1), fc.maxSafeInteger()),
  real: fc.oneof(
    fc.constantFrom(0, 1, -2.5, 0.1 + 0.2, 1e15, 1e21, 1e-6, 1e-7, 5e-324, 123_456_789.123),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  ),
  date: fc.constantFrom('2026-11-21', '0001-01-01', '9999-12-31'),
  datetime: fc.constantFrom('2026-11-21 10:11:12.130000', '9999-12-31 23:59:59.999999'),
  time: fc.constantFrom('00:00:00.000000', '23:59:59.999999'),
};

const FIELDS = [...FIELDTYPES.values()].flatMap(({ name, column }) => {
  if (column === null || name.startsWith('Table')) return [];
  const options = name.endsWith('Link') ? (name === 'Link' ? 'User' : 'data') : '';
  return [{ fieldname: name.toLowerCase().replaceAll(' ', '_'), fieldtype: name, options, kind: column }];
});
const ROWS = { fieldname: 'rows', fieldtype: 'Table', options: 'Sample Row' };
const MORE = { fieldname: 'more', fieldtype: 'Table', options: 'Sample Row' };
const definition = (name: string, fields: readonly object[]) => ({
  name,
  istable: name === 'Sample Row' ? 1 : 0,
  autoname: name === 'Counted' ? 'autoincrement' : 'Prompt',
  fields: name === 'Sample Row' ? fields : [...fields, ROWS, MORE],
});

const STAMP = { creation: '2026-01-01 00:00:00.000001', modified: '2026-01-02 03:04:05.678901' };
const held = fc.record(
  Object.fromEntries(
    FIELDS.map(({ fieldname, kind }) => [fieldname, VALUES[kind] ?? fc.constant(null)] as const),
  ),
  { requiredKeys: [] },
);
const mark = fc.constantFrom(null, '', ',urgent', '["a@example.com"]');
const fields = fc.shuffledSubarray(FIELDS.filter(({ fieldname }) => fieldname !== 'data')).map((some) => {
  // A Dynamic Link names this field.
  return [FIELDS.find(({ fieldname }) => fieldname === 'data') ?? {}, ...some];
});
const sample = fc.record({
  name: fc.constantFrom('Sample', 'Counted'),
  own: fields,
  ofRows: fields,
  doc: held,
  marks: fc.record({ _user_tags: mark, _assign: mark, _liked_by: mark }),
  rows: fc.array(fc.record({ parentfield: fc.constantFrom('rows', 'more'), values: held }), { maxLength: 4 }),
});

class Undo extends Error {}

describeSite('the text of a row', {}, (site) => {
  before(async () => {
    for (const name of ['Sample Row', 'Sample', 'Counted'])
      await site.make('DocType', definition(name, FIELDS));
  });

  test('every document is answered with the same bytes from its row and in full', async () => {
    const { site: open } = site;
    const check = async ({
      name,
      own,
      ofRows,
      doc,
      marks,
      rows,
    }: typeof sample extends fc.Arbitrary<infer T> ? T : never) => {
      await open.database
        .transaction(async (db) => {
          const key = name === 'Counted' ? '7' : 'näme';
          await fill(db, open.doctypes.get(name), [
            {
              ...STAMP,
              ...doc,
              ...marks,
              owner: 'a',
              modified_by: 'b',
              name: name === 'Counted' ? 7 : key,
              _revision: 3,
            },
          ]);
          const place = { parent: key, parenttype: name };
          const stored = rows.map(({ parentfield, values }, at): Row => {
            return {
              ...STAMP,
              ...values,
              ...place,
              owner: 'a',
              modified_by: 'b',
              parentfield,
              name: `r${at}`,
              idx: at + 1,
            };
          });
          await fill(db, open.doctypes.get('Sample Row'), stored);
          const made = new Map([
            [name, parseDoctype(definition(name, own))],
            ['Sample Row', parseDoctype(definition('Sample Row', ofRows))],
          ]);
          const doctypes = buildRegistry(
            open.doctypes.all().map((one) => made.get(one.name) ?? one),
            1,
          );
          const ctx = { ...readContext(open, ADMINISTRATOR), db, doctypes };
          const inFull = await readDocumentWithRevision(ctx, name, key);
          const answer = await readStored(ctx, name, key);
          assert.ok(answer);
          assert.equal(`${answer.revision}`, entityTag({ doctypes, restored: null }, inFull));
          for (const precision of ['seconds', 'microseconds'] as const) {
            const wire = presentDocument(doctypes, inFull.doc, { nulls: false, precision });
            assert.equal(answer.text(precision), JSON.stringify(wire));
          }
          throw new Undo();
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undo)) throw error;
        });
    };
    await fc.assert(fc.asyncProperty(sample, check), { numRuns: 80 });
  });

  test('a field named by digits, which JSON puts first, makes the server read the document in full', () => {
    for (const name of ['Sample', 'Sample Row']) {
      const fields = [...FIELDS, { fieldname: '2024', fieldtype: 'Data' }];
      // Files of apps may hold such a field.
      const made = parseDoctype(definition(name, fields), 'app', () => true);
      const { doctypes } = site.site;
      const registry = buildRegistry(
        doctypes.all().map((one) => (one.name === name ? made : one)),
        1,
      );
      assert.ok(isTextOfRow(doctypes, doctypes.get('Sample')));
      assert.ok(!isTextOfRow(registry, registry.get('Sample')), name);
    }
  });
});
