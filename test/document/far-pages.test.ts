/** Counts, large pages and pages far down: what SQLite reads on the event loop, and that the result is the same. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { readContext } from '../../src/document/context.ts';
import { listDocuments } from '../../src/document/list/list.ts';
import { listPage } from '../../src/document/list/list-page.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeSite } from '../support/describe-site.ts';
import { insertNotes, NOTE } from '../support/many-notes.ts';
import { memorySite } from '../support/memory-site.ts';
import { countScans } from '../support/scans.ts';

/** More than LIMITS.countCap with a single value, and more than the largest page. */
const ROWS = 24_000;

describeSite('many documents', memorySite({ doctypes: [NOTE] }), (site, engine) => {
  before(() => insertNotes(site.database, 0, ROWS));

  const context = () => readContext(site, ADMINISTRATOR);
  const places = async (parameters: object) =>
    (await listDocuments(context(), 'Note', { fields: ['place'], ...parameters })).map(({ place }) =>
      Number(place),
    );
  const down = (from: number, step: number, length: number) =>
    Array.from({ length }, (_, at) => from - at * step);

  test('a page far down has the rows that follow those before it', async () => {
    assert.deepEqual(
      await places({ limit_start: 20_000, limit: 20, order_by: 'modified desc' }),
      down(ROWS - 20_001, 1, 20),
    );
    assert.deepEqual(
      await places({ limit_start: ROWS - 5, limit: 20, order_by: 'place desc' }),
      [4, 3, 2, 1, 0],
    );
    assert.deepEqual(
      await places({ limit_start: 11_000, limit: 20, order_by: 'modified desc', filters: { state: 'Open' } }),
      down(ROWS - 2 - 22_000, 2, 20),
    );
    assert.deepEqual(await places({ limit_start: ROWS, limit: 20 }), []);
  });

  test('a page far down has a count and a cursor, and its cursor continues it', async () => {
    const asked = { fields: ['place'], limit_start: 20_000, limit: 2, order_by: 'modified desc' };
    const page = await listPage(context(), 'Note', { ...asked, include: 'count' });
    assert.deepEqual(JSON.parse(String(page.json)), [{ place: 3_999 }, { place: 3_998 }]);
    assert.deepEqual([page.count, page.countCapped, page.hasNextPage], [LIMITS.countCap, true, true]);
    const next = await listPage(context(), 'Note', { ...asked, limit_start: 0, after: page.cursor });
    assert.deepEqual(JSON.parse(String(next.json)), [{ place: 3_997 }, { place: 3_996 }]);
  });

  test('beyond the cap the database estimates the count, where it knows the values', async () => {
    if (engine === 'postgres') {
      await site.database.transaction((db) => db.run({ text: 'analyze "Note"', values: [] }));
    }
    const estimateOf = async (parameters: object) => {
      const page = await listPage(context(), 'Note', { limit: 1, include: 'count', ...parameters });
      assert.equal(page.countCapped, true);
      return page.countEstimate;
    };
    const all = await estimateOf({});
    assert.ok(all !== null && Math.abs(all - ROWS) <= (engine === 'sqlite' ? 0 : ROWS / 50), `${all}`);
    const open = await estimateOf({ filters: { state: 'Open' } });
    if (engine === 'sqlite') assert.equal(open, null);
    else assert.ok(open !== null && Math.abs(open - ROWS / 2) < ROWS / 10, `${open}`);
    assert.equal(await estimateOf({ filters: [['state', 'like', '%e%']] }), null);
    const few = await listPage(context(), 'Note', { include: 'count', filters: [['place', '<', 9]] });
    assert.deepEqual([few.count, few.countEstimate], [9, null]);
  });

  if (engine === 'postgres') return;

  test('the largest page and the largest capped count are read at once, where they need no thread', async (t) => {
    const scansOf = countScans(t);
    // A slow machine would move them because of their duration.
    t.mock.method(performance, 'now', () => 0);
    const reads = {
      'a capped count': { limit: 1, include: 'count' },
      'a capped count of many matches': { limit: 1, include: 'count', filters: { state: 'Open' } },
      'an exact count': { limit: 1, count: 'exact' },
      'the largest page': { limit: LIMITS.maxPageLength, fields: ['name', 'state', 'place'] },
      'a page far down': { limit: 20, limit_start: 20_000 },
    };
    for (const [what, parameters] of Object.entries(reads)) {
      const scans = await scansOf(() => listPage(context(), 'Note', parameters));
      assert.equal(scans, 0, `${what} went to a thread`);
    }
    const all = { limit: ROWS, fields: ['name', 'place'] };
    assert.equal(await scansOf(() => listPage(context(), 'Note', all)), 1, 'a larger page held everyone up');
    const unordered = { limit: 20, limit_start: 20_000, order_by: 'place desc' };
    assert.equal(await scansOf(() => listPage(context(), 'Note', unordered)), 1, 'a sort held everyone up');
  });
});
