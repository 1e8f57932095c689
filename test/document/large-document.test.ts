/** A document is never larger than an answer can be. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, STAFF } from '../support/memory-site.ts';

const TEXTS = ['a', 'b', 'c', 'd', 'e'];
const LONG = 'x'.repeat(LIMITS.documentLength / 4 - 1_000);
const DOCTYPES = [
  { name: 'Line', istable: 1, fields: [{ fieldname: 'text', fieldtype: 'Long Text' }] },
  {
    name: 'Tome',
    fields: [
      ...TEXTS.map((fieldname) => ({ fieldname, fieldtype: 'Long Text' })),
      { fieldname: 'lines', fieldtype: 'Table', options: 'Line' },
    ],
  },
];

describeEither('large documents', memorySite({ doctypes: DOCTYPES }), (site) => {
  let name: string;
  before(async () => {
    ({ name } = await site.run((ctx) => createDocument(ctx, 'Tome', { a: LONG, b: LONG, c: LONG, d: 'd' })));
  });

  const update = (fields: Record<string, unknown>) =>
    site.run((ctx) => updateDocument(ctx, 'Tome', name, fields));

  for (const [what, fields] of [
    ['a field', { d: LONG, e: 'x'.repeat(4_000) }],
    ['a row', { lines: [{ text: LONG }, { text: 'x'.repeat(4_000) }] }],
  ] as const) {
    test(`${what} that makes a document too large is refused`, async () => {
      await refused(update(fields), 'DataError', /may have at most 67108864 characters in total/);
      await refused(
        site.run((ctx) => createDocument(ctx, 'Tome', { a: LONG, b: LONG, c: LONG, ...fields })),
        'DataError',
      );
      const doc = await readDocument(readContext(site, STAFF), 'Tome', name);
      assert.deepEqual([doc['a'], doc['d'], doc['lines']], [LONG, 'd', []]);
    });
  }

  test('one that was stored larger can be saved unless it grows', async () => {
    await site.database.transaction((connection) =>
      connection.run(sql`update "Tome" set "d" = ${LONG}, "e" = ${LONG} where "name" = ${name}`),
    );
    await refused(update({ lines: [{ text: LONG }] }), 'DataError');
    await update({ e: 'short' });
    await update({ d: 'short' });
  });
});
