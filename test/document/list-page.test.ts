import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { readContext } from '../../src/document/context.ts';
import { listDocuments } from '../../src/document/list/list.ts';
import { listPage } from '../../src/document/list/list-page.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import type { ListParameters } from '../../src/query/list-query.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { wholeText } from '../support/list-text.ts';
import { memorySite, OTHER_STAFF, STAFF } from '../support/memory-site.ts';

const RIGHTS = { role: 'Staff', read: 1, write: 1, create: 1 };
const DOCTYPES = [
  {
    name: 'Shelf',
    autoname: 'field:title',
    permissions: [{ ...RIGHTS, if_owner: 1 }],
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'room', fieldtype: 'Data' },
    ],
  },
  { name: 'Mark', istable: 1, fields: [{ fieldname: 'page', fieldtype: 'Int' }] },
  {
    name: 'Volume',
    autoname: 'hash',
    permissions: [RIGHTS],
    fields: [
      { fieldname: 'label', fieldtype: 'Data' },
      { fieldname: 'weight', fieldtype: 'Float' },
      { fieldname: 'read_on', fieldtype: 'Date' },
      { fieldname: 'read_at', fieldtype: 'Datetime' },
      { fieldname: 'opens', fieldtype: 'Time' },
      { fieldname: 'story', fieldtype: 'Long Text' },
      { fieldname: 'shelf', fieldtype: 'Link', options: 'Shelf' },
      { fieldname: 'marks', fieldtype: 'Table', options: 'Mark' },
    ],
  },
];
const COUNT = 23;
const FIELDS = [
  'label',
  'weight',
  'read_on',
  'read_at',
  'opens',
  'modified',
  'owner',
  'shelf.room',
  'shelf',
  'name',
];

describeEither('pages of a list', memorySite({ doctypes: DOCTYPES }), (site) => {
  before(async () => {
    const create = (doctype: string, fields: Record<string, unknown>, user = STAFF) =>
      site.run((ctx) => createDocument(ctx, doctype, fields), user);
    await create('Shelf', { title: 'low', room: 'B' });
    await create('Shelf', { title: 'high', room: 'A' }, OTHER_STAFF);
    for (let index = 0; index < COUNT; index += 1) {
      const { name } = await create('Volume', {
        label: [null, '', 'é', 'a', '😀'][index % 5],
        weight: [0, 0.1, -1.5, 1e15][index % 4],
        read_on: index % 3 === 0 ? null : `2026-01-0${(index % 4) + 1}`,
        read_at: index % 4 === 0 ? null : `2026-01-01 00:00:00.00000${index % 3}`,
        opens: index % 2 ? null : `0${index % 5}:00:00.5`,
        story: 'x'.repeat(index === 0 ? 1 : 5_000),
        marks: [{ page: 1 }, { page: 2 }],
      });
      // The other's shelf could not be linked to by who does not see it.
      await site.run(
        (ctx) => updateDocument(ctx, 'Volume', String(name), { shelf: ['low', 'high', null][index % 3] }),
        ADMINISTRATOR,
      );
    }
  });

  const pageOf = async (parameters: ListParameters, user = STAFF) => {
    const page = await listPage(readContext(site, user), 'Volume', parameters);
    return { ...page, json: await wholeText(page.json) };
  };

  async function walk(parameters: ListParameters, user = STAFF): Promise<unknown[]> {
    const all: unknown[] = [];
    let cursor: string | null = null;
    for (let page = 0; page <= COUNT; page += 1) {
      const found = await pageOf({ ...parameters, after: cursor }, user);
      all.push(...JSON.parse(found.json));
      assert.equal(found.cursor !== null, found.hasNextPage);
      if (!found.hasNextPage) return all;
      cursor = found.cursor;
    }
    return assert.fail('the pages do not end');
  }

  test('cursors in any order give every document once, as one long list does', async () => {
    const term = fc.record({ field: fc.constantFrom(...FIELDS), down: fc.boolean() });
    const order = fc.uniqueArray(term, { minLength: 1, maxLength: 3, selector: ({ field }) => field });
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(STAFF, ADMINISTRATOR),
        fc.constantFrom<ListParameters>(
          {},
          { filters: [['weight', '<', 1]] },
          { fields: ['name as n', 'shelf.room'] },
        ),
        async (terms, limit, user, more) => {
          const order_by = terms.map(({ field, down }) => `${field} ${down ? 'desc' : 'asc'}`).join();
          const parameters = { ...more, order_by };
          const whole = await listDocuments(readContext(site, user), 'Volume', { ...parameters, limit: 100 });
          assert.deepEqual(await walk({ ...parameters, limit }, user), JSON.parse(JSON.stringify(whole)));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a cursor goes on where it was, though documents come and the default order is the newest first', async () => {
    const page = await pageOf({ limit: 5, fields: ['name', 'marks'] });
    const rest = await listDocuments(readContext(site, STAFF), 'Volume', { limit_start: 5, limit: 100 });
    const made = await site.run((ctx) => createDocument(ctx, 'Volume', { label: 'new' }), STAFF);
    const next = JSON.parse((await pageOf({ limit: 100, after: page.cursor })).json);
    assert.deepEqual(next, JSON.parse(JSON.stringify(rest)));
    assert.equal(JSON.parse(page.json)[0].marks.length, 2);
    assert.ok(!page.json.includes('_k0') && made.name);
  });

  test('counts: none unless asked, capped or exact, of what the list has', async () => {
    const total = (await listDocuments(readContext(site, STAFF), 'Volume', { limit: 100 })).length;
    const { count, countCapped } = await pageOf({ limit: 2 });
    assert.deepEqual([count, countCapped], [null, false]);
    for (const asked of [{ include: 'count' }, { include: '["count"]' }, { count: 'exact' }]) {
      const page = await pageOf({ ...asked, limit: 2, limit_start: 4 });
      assert.deepEqual([page.count, page.countCapped, page.hasNextPage], [total, false, true]);
    }
    const filtered = await pageOf({ include: 'count', filters: { label: 'a' }, limit: 100 });
    assert.equal(filtered.count, JSON.parse(filtered.json).length);
    assert.deepEqual([filtered.hasNextPage, filtered.cursor], [false, null]);
    const groups = await pageOf({
      fields: ['shelf', 'count(*) as n'],
      group_by: 'shelf',
      limit: 2,
      include: 'count',
    });
    assert.deepEqual([groups.count, groups.hasNextPage, groups.cursor], [3, true, null]);
    const rows = await pageOf({ fields: ['name', 'marks.page'], filters: { label: 'a' }, include: 'count' });
    assert.equal(rows.count, JSON.parse(rows.json).length);
  });

  test('a cursor that is not one, or is of another list, is refused', async () => {
    const { cursor } = await pageOf({ limit: 1, order_by: 'weight' });
    assert.ok(cursor);
    const flipped = cursor.slice(0, -2) + (cursor.at(-2) === 'A' ? 'B' : 'A') + cursor.slice(-1);
    for (const bad of ['x', 'é', '!', flipped, cursor.slice(0, 20), 'A'.repeat(5_000), 7, ['x'], { a: 1 }]) {
      await refused(pageOf({ order_by: 'weight', after: bad }), 'ValidationError', /^after is not a cursor/);
    }
    await refused(pageOf({ order_by: 'weight desc', after: cursor }), 'ValidationError', /order_by/);
    await refused(listPage(readContext(site, STAFF), 'Shelf', { after: cursor }), 'ValidationError');
    await refused(pageOf({ fields: ['count(*)'], after: cursor }), 'ValidationError', /limit_start/);
    await refused(pageOf({ include: 'total' }), 'ValidationError', /include/);
    await refused(pageOf({ count: 'all' }), 'ValidationError', /exact/);
    assert.equal((await pageOf({ limit: 3, order_by: 'story' })).cursor, null);
  });
});
