/** Who views a document: only its readers learn it, and only for a while. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { type EventStream, listen } from '../support/events.ts';
import { historySite } from '../support/history-site.ts';

describeEither('viewers of documents', historySite(), (site) => {
  let ann: string;
  let bob: string;
  let outsider: string;
  before(async () => {
    ann = await site.createUser('ann@example.com', ['Dealer']);
    bob = await site.createUser('bob@example.com', ['Viewer']);
    outsider = await site.createUser('outsider@example.com', []);
    for (const name of ['V1', 'V2', 'V3', 'V4']) await site.did('POST', 'Deal', { name });
  });

  const ask = (verb: 'view' | 'leave', name: string, as?: string | null) =>
    site.rpc(`chancery.${verb}_document`, { doctype: 'Deal', name }, as);
  const others = async (name: string, as: string): Promise<string[]> => {
    const { viewers, count } = (await ask('view', name, as)).body.message;
    assert.equal(count, viewers.length);
    return viewers.map((one: { name: string }) => one.name);
  };

  test('viewers see each other, not themselves, until they leave', async () => {
    assert.deepEqual(await others('V1', ann), []);
    assert.deepEqual(await others('V1', bob), ['ann@example.com']);
    assert.deepEqual(await others('V1', ann), ['bob@example.com']);
    assert.deepEqual(await others('V2', ann), []);
    assert.equal((await ask('leave', 'V1', bob)).status, 200);
    assert.deepEqual(await others('V1', ann), []);
    const { viewers } = (await ask('view', 'V1', bob)).body.message;
    assert.deepEqual(viewers, [{ name: 'ann@example.com', fullname: 'ann', image: '' }]);
    await ask('leave', 'V1', bob);
    await ask('leave', 'V1', ann);
  });

  test('who may not read the document learns nothing, whether it exists or not', async () => {
    await ask('view', 'V2', ann);
    const refused = await ask('view', 'V2', outsider);
    const missing = await ask('view', 'missing', outsider);
    assert.deepEqual([refused.status, missing.status], [403, 403]);
    assert.deepEqual(refused.body.exception, missing.body.exception);
    assert.doesNotMatch(refused.text, /ann/);
    for (const name of ['V2', 'missing']) {
      const left = await ask('leave', name, outsider);
      assert.deepEqual([left.status, left.body], [200, {}]);
    }
    for (const verb of ['view', 'leave'] as const) assert.equal((await ask(verb, 'V2', null)).status, 403);
    assert.deepEqual(await others('V2', bob), ['ann@example.com']);
    for (const doctype of ['Version', 'Deal Line', 'Notification Log']) {
      const { status } = await site.rpc('chancery.view_document', { doctype, name: 'x' }, ann);
      assert.equal(status, 403, doctype);
    }
  });

  test('a viewer can leave a document that is gone, or that it may no longer read', async () => {
    const leaver = await site.createUser('leaver@example.com', ['Viewer']);
    for (const name of ['G1', 'G2']) {
      await site.did('POST', 'Deal', { name });
      await ask('view', name, leaver);
    }
    await site.did('DELETE', 'Deal/G1');
    assert.equal((await ask('leave', 'G1', leaver)).status, 200);
    await site.did('PUT', 'User/leaver@example.com', { roles: [] });
    assert.equal((await ask('view', 'G2', leaver)).status, 403);
    assert.equal((await ask('leave', 'G2', leaver)).status, 200);
    const left = await site.site.database.reader.all(
      sql`select "name" from "_viewer" where "user" = ${'leaver@example.com'}`,
    );
    assert.deepEqual(left, []);
  });

  test('a viewer who says nothing more is gone after a while, and its entry is deleted', async () => {
    await ask('view', 'V3', ann);
    const { database } = site.site;
    await database.transaction((db) =>
      db.run(sql`update "_viewer" set "until" = "until" - ${LIMITS.viewTime} where "name" = ${'V3'}`),
    );
    assert.deepEqual(await others('V3', bob), []);
    const left = await database.reader.all(sql`select "user" from "_viewer" where "name" = ${'V3'}`);
    assert.deepEqual(left, [{ user: 'bob@example.com' }]);
  });

  test('a user views a limited number of documents at once', async () => {
    for (let at = 0; at <= LIMITS.viewsPerUser; at += 1) {
      await site.did('POST', 'Deal', { name: `L${at}` });
      await ask('view', `L${at}`, bob);
    }
    const rows = await site.site.database.reader.all(
      sql`select "name" from "_viewer" where "user" = ${'bob@example.com'}`,
    );
    assert.equal(rows.length, LIMITS.viewsPerUser);
    assert.ok(rows.some((row) => row['name'] === `L${LIMITS.viewsPerUser}`));
  });

  test('a stream tells readers that ask for it when viewers come and go, and nobody else', async () => {
    const open = async (as: string, views: string): Promise<EventStream> => {
      const stream = await listen(site.url, `doctype=Deal&name=V4${views}`, site.keyOf(as));
      assert.equal((await stream.next())?.event, 'open');
      return stream;
    };
    const [told, untold] = [await open(bob, '&views=1'), await open(bob, '')];
    await ask('view', 'V4', ann);
    await ask('view', 'V4', ann);
    await ask('leave', 'V4', ann);
    await ask('leave', 'V4', ann);
    await site.did('PUT', 'Deal/V4', { title: 'Other' });
    for (const change of ['on_view V4', 'on_view V4', 'on_update V4'])
      assert.equal(await told.change(), change);
    assert.equal(await untold.change(), 'on_update V4');
    for (const stream of [told, untold]) await stream.close();
  });
});
