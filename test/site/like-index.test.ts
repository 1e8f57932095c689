/** An index for `like` on PostgreSQL: lists are the same with and without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeTable } from '../../src/db/describe.ts';
import { sql } from '../../src/db/sql.ts';
import { tableOf } from '../../src/doctype/schema-plan.ts';
import { describeEither } from '../support/describe-site.ts';
import { until } from '../support/until.ts';

const WORD = {
  name: 'Word',
  autoname: 'hash',
  fields: [
    { fieldname: 'text', fieldtype: 'Data' },
    { fieldname: 'essay', fieldtype: 'Text' },
  ],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
};
const letters = [
  'a',
  'A',
  'k',
  'K',
  '\u212a',
  'ß',
  'ẞ',
  's',
  'S',
  'ſ',
  'İ',
  'i',
  'É',
  'e\u0301',
  'Σ',
  'ς',
  'Ж',
];
const unit = fc.constantFrom(...letters, '中', '\u{10400}', ' ', '-', '1', '%', '_', '\\');
const text = fc.string({ unit, minLength: 1, maxLength: 12 }).filter((value) => value.trim() === value);
const ROWS = 1_000;

describeEither('an index for like', { users: { manager: ['System Manager'] } }, (site, engine) => {
  const namesLike = async (pattern: string) => {
    const query = new URLSearchParams({
      filters: JSON.stringify([['text', 'like', pattern]]),
      limit_page_length: '0',
      order_by: 'name asc',
    });
    return site.ok('GET', `/api/resource/Word?${query}`);
  };
  const createIndex = (fields: readonly string[]) =>
    site.rpc('chancery.system.create_index', { doctype: 'Word', fields: JSON.stringify(fields) }, 'manager');

  test('lists are the same with and without it', async () => {
    await site.make('DocType', WORD);
    const values = fc.sample(text, { numRuns: ROWS, seed: 7 });
    await site.site.database.transaction(async (db) => {
      for (const [at, value] of values.entries()) {
        await db.run(
          sql`insert into "Word" ("name", "creation", "modified", "text") values
              (${`w${at}`}, '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000', ${value})`,
        );
      }
    });
    // Parts of stored values, in another case, with and without wildcards around them, and any others.
    const parts = values.slice(0, 60).map((value) => [...value].slice(1, 5).join('').toUpperCase());
    const patterns = [
      ...parts.map((part) => `%${part}%`),
      ...parts,
      ...fc.sample(text, { numRuns: 60, seed: 8 }),
    ];
    const before: unknown[] = [];
    for (const pattern of patterns) before.push(await namesLike(pattern));
    assert.ok(before.filter((rows) => Array.isArray(rows) && rows.length > 0).length > 60);

    const made = await createIndex(['text like']);
    if (engine === 'sqlite') {
      assert.equal(made.status, 417);
      assert.match(made.text, /SQLite has no index for like/);
      // A definition that is shared with a site on PostgreSQL is accepted.
      await site.did('PUT', 'DocType/Word', { indexes: [['text like']] });
    } else assert.equal(made.status, 200, made.text);
    await until(async () => (await site.ok('GET', '/api/method/chancery.system.index_builds')).length === 0);
    for (const [at, pattern] of patterns.entries()) {
      assert.deepEqual(await namesLike(pattern), before[at], pattern);
    }
  });

  test('PostgreSQL reads the index', { skip: engine === 'sqlite' }, async () => {
    const plan = await site.site.database.transaction(async (db) => {
      await db.run(sql`set local enable_seqscan = off`);
      const condition = db.dialect.like(sql`"_t"."text"`, '%aka%', true);
      return db.all(sql`explain select "name" from "Word" as "_t" where ${condition}`);
    });
    assert.match(JSON.stringify(plan), /Bitmap Index Scan on _ix_/);
  });

  test('it is described as it is declared', { skip: engine === 'sqlite' }, async () => {
    const table = await describeTable(site.site.database.reader, 'Word');
    const found = table?.indexes.find(({ like }) => like);
    assert.deepEqual(
      found,
      tableOf(site.site.doctypes.get('Word')).indexes.find(({ like }) => like),
    );
  });

  test('a long text has none', async () => {
    const refused = await createIndex(['essay like']);
    assert.equal(refused.status, 417);
    assert.match(refused.text, /no Data, Link, Dynamic Link or Select field/);
  });

  test('where the extension cannot be created, the change says so', {
    skip: engine === 'sqlite',
  }, async () => {
    await site.did('PUT', 'DocType/Word', { indexes: [] });
    await site.site.database.transaction(async (db) => {
      await db.run(sql`drop extension pg_trgm`);
      // One of the extension's own functions, so that it cannot be created.
      await db.run(sql`create function "public"."similarity"(text, text) returns real language sql return 1`);
    });
    const refused = await createIndex(['text like']);
    assert.equal(refused.status, 417, refused.text);
    assert.match(refused.text, /needs the extension pg_trgm of PostgreSQL, which cannot be created/);
    assert.deepEqual(await site.ok('GET', '/api/method/chancery.system.index_builds'), []);
    await site.site.database.transaction((db) =>
      db.run(sql`drop function "public"."similarity"(text, text)`),
    );
  });
});
