/** Lists of users with User Permissions: SQLite reads few documents for a page, and the page is the same. */
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { Grants } from '../../src/access/grants.ts';
import { type CurrentUser, currentUser } from '../../src/access/user.ts';
import { Sql, type Statement, sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { listDocuments, listDocumentsText } from '../../src/document/list/list.ts';
import { listPage } from '../../src/document/list/list-page.ts';
import { describeSite } from '../support/describe-site.ts';
import { insertNotes, NOTE } from '../support/many-notes.ts';
import { memorySite } from '../support/memory-site.ts';
import { notedDatabase } from '../support/noted-database.ts';

const ROWS = 3_000;
const doctypes = [
  { name: 'Region', fields: [{ fieldname: 'title', fieldtype: 'Data' }] },
  { ...NOTE, fields: [...NOTE.fields, { fieldname: 'region', fieldtype: 'Link', options: 'Region' }] },
];

function permittedIn(...regions: readonly string[]): CurrentUser {
  const one = (value: string) => ({ value, applicableFor: null, isDefault: false, hideDescendants: false });
  const permissions = new Map([['Region', regions.map(one)]]);
  const grants: Grants = { permissions, shares: new Map(), strict: true, mark: regions.join() };
  return currentUser('staff@example.com', ['Staff'], { grants });
}

describeSite('User Permissions', memorySite({ doctypes }), (site, engine) => {
  const sent: Statement[] = [];
  beforeEach(() => {
    sent.length = 0;
  });
  before(async () => {
    await insertNotes(site.database, 0, ROWS);
    // Even notes are common; of the others the first five are old, and all the rest have a region of their own.
    const region = sql`case when "place" % 2 = 0 then 'Common' when "place" < 10 then 'Old' else 'R' || "place" end`;
    await site.database.transaction((db) => db.run(sql`update "Note" set "region" = ${region}`));
  });

  function contextOf(user: CurrentUser) {
    return readContext(
      Object.create(site, { database: { value: notedDatabase(site.database, sent) } }),
      user,
    );
  }
  const places = (rows: readonly { place?: unknown }[]) => rows.map(({ place }) => Number(place));
  const even = (from: number, length: number) => Array.from({ length }, (_, at) => from - 2 * at);

  /** The steps of the plan of the last statement. */
  async function lastPlan(): Promise<string> {
    const { text, values } = sent.at(-1) ?? { text: '', values: [] };
    const pieces = `explain query plan ${text}`.split('?');
    const parts = pieces.flatMap((piece, at) =>
      at < values.length ? [{ text: piece }, { value: values[at] ?? null }] : [{ text: piece }],
    );
    const steps = await site.database.reader.all(new Sql(parts));
    return steps.map(({ detail }) => detail).join('\n');
  }

  test('a page has the newest permitted documents, in each form', async () => {
    const ctx = contextOf(permittedIn('Common', 'Old'));
    const asked = { fields: ['place'], limit: 3, order_by: 'modified desc' };
    assert.deepEqual(places(await listDocuments(ctx, 'Note', asked)), even(ROWS - 2, 3));
    assert.deepEqual(
      places(await listDocuments(ctx, 'Note', { ...asked, limit_start: 10 })),
      even(ROWS - 22, 3),
    );
    assert.deepEqual(
      places(JSON.parse(String(await listDocumentsText(ctx, 'Note', asked)))),
      even(ROWS - 2, 3),
    );
    const first = await listPage(ctx, 'Note', asked);
    assert.deepEqual(places(JSON.parse(String(first.json))), even(ROWS - 2, 3));
    const next = await listPage(ctx, 'Note', { ...asked, after: first.cursor });
    assert.deepEqual(places(JSON.parse(String(next.json))), even(ROWS - 8, 3));
    assert.deepEqual(
      places(await listDocuments(ctx, 'Note', { ...asked, order_by: 'modified asc' })),
      [0, 1, 2],
    );
    const all = await listDocuments(ctx, 'Note', { ...asked, limit: ROWS });
    assert.equal(all.length, ROWS / 2 + 5);
  });

  test('a document appears in the page as soon as it is permitted', async () => {
    const ctx = contextOf(permittedIn('Common'));
    const newest = { fields: ['place'], limit: 2, order_by: 'modified desc' };
    const move = (region: string) =>
      site.database.transaction((db) =>
        db.run(sql`update "Note" set "region" = ${region} where "place" = ${ROWS - 1}`),
      );
    assert.deepEqual(places(await listDocuments(ctx, 'Note', newest)), even(ROWS - 2, 2));
    await move('Common');
    assert.deepEqual(places(await listDocuments(ctx, 'Note', newest)), [ROWS - 1, ROWS - 2]);
    await move('Rare');
    assert.deepEqual(places(await listDocuments(ctx, 'Note', newest)), even(ROWS - 2, 2));
  });

  if (engine === 'postgres') return;

  test('many permitted documents: they are counted once, and then read in order until the page is full', async () => {
    const ctx = contextOf(permittedIn('Common', 'Old'));
    const page = () => listDocumentsText(ctx, 'Note', { fields: ['place'], limit: 20 });
    await page();
    assert.equal(sent.length, 2);
    await page();
    assert.equal(sent.length, 3);
    const plan = await lastPlan();
    assert.match(plan, /SCAN _t USING INDEX/);
    assert.doesNotMatch(plan, /TEMP B-TREE/, 'documents are sorted');
    assert.ok(sent.at(-1)?.values.includes(ROWS / 2 + 5), 'the walk has no end');
  });

  test('few permitted documents, none of them new: they are looked up', async () => {
    const ctx = contextOf(permittedIn('Old'));
    const page = async () =>
      places(await listDocuments(ctx, 'Note', { fields: ['place'], limit: 2, order_by: 'modified desc' }));
    assert.deepEqual(await page(), [9, 7]);
    assert.equal(sent.length, 3, 'a count, a walk of five documents, and the look-up');
    assert.deepEqual(await page(), [9, 7]);
    assert.equal(sent.length, 4, 'no other walk');
    assert.match(await lastPlan(), /SEARCH _t USING INDEX \w+ \(region=\?\)/);
    site.clock.set('2099-01-01T00:00:00Z');
    assert.deepEqual(await page(), [9, 7]);
    assert.equal(sent.length, 7, 'another walk after a while');
  });
});
