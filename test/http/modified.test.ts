/**
 * `modified` is exact although clients see whole seconds: it tells versions of a document apart, and clients may poll
 * with it.
 */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { until } from '../support/until.ts';

const START = Date.parse('2026-11-23T10:00:00Z') * 1000;
/** Moved by the tests alone, and by a microsecond for each question, as every clock of the server. */
const clock = {
  now: START,
  micros: () => {
    clock.now += 1;
    return clock.now;
  },
};
const NOTE = { name: 'Note', fields: [{ fieldname: 'title' }, { fieldname: 'count', fieldtype: 'Int' }] };
const SECOND = 1_000_000;

describeEither('modified', { clock, doctypes: [NOTE] }, (site) => {
  const path = (name: string) => `/api/resource/Note/${name}`;
  const read = async (name: string) => (await site.request('GET', path(name))).body.data;
  const save = (name: string, fields: unknown) => site.request('PUT', path(name), { body: fields });
  const saved = async (name: string, fields: unknown): Promise<string> => {
    const { status, body } = await save(name, fields);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.modified;
  };
  const secondsAhead = (modified: string) =>
    Date.parse(`${modified.replace(' ', 'T')}Z`) / 1000 - Math.floor(clock.now / SECOND);

  let name: string;
  beforeEach(async () => {
    clock.now += 120 * SECOND;
    name = (await site.make('Note', { title: 'made' })).name;
  });

  test('each change moves it on by a second, up to five ahead of the clock', async () => {
    const seen = [(await read(name)).modified];
    for (let count = 1; count <= 5; count += 1) seen.push(await saved(name, { count }));
    assert.deepEqual(seen.map(secondsAhead), [0, 1, 2, 3, 4, 5]);
    assert.equal(secondsAhead(await saved(name, { count: 6 })), 5);
  });

  test('a stale save within the same second is refused', async () => {
    const { modified } = await read(name);
    await saved(name, { title: 'first', modified });
    const late = await save(name, { title: 'second', modified });
    assert.deepEqual([late.status, late.body.exc_type], [417, 'TimestampMismatchError']);
    assert.equal((await read(name)).title, 'first');
  });

  test('a time that versions share is refused, until the document is read again', async () => {
    for (let count = 1; count <= 7; count += 1) await saved(name, { count });
    const { modified } = await read(name);
    assert.equal((await save(name, { count: 8, modified })).status, 417);
    assert.equal((await read(name)).modified, modified, 'the clock is still too far behind');
    await saved(name, { count: 8 });

    clock.now += 2 * SECOND;
    const tag = (await site.request('GET', path(name))).headers.get('etag');
    assert.equal((await save(name, { count: 9, modified })).status, 417);
    await until(
      async () => (await read(name)).modified,
      (now) => now > modified,
    );
    const again = await site.request('GET', path(name));
    assert.notEqual(again.headers.get('etag'), tag);
    assert.equal(again.body.data.count, 8);
    await saved(name, { count: 9, modified: again.body.data.modified });
    assert.equal((await save(name, { count: 10, modified })).status, 417);
  });

  test('who reads it after quick saves may save it, and later reads change nothing', async () => {
    for (let count = 1; count <= 7; count += 1) await saved(name, { count });
    const get = async () => {
      const reply = await site.request('GET', path(name));
      return [reply.text, reply.headers.get('etag')];
    };
    clock.now += 4 * SECOND;
    const during = await get();
    assert.equal(during[1], '"8"', 'no new revision that fails If-Match');
    clock.now += 2 * SECOND;
    const after = await get();
    assert.equal(after[1], '"9"');
    assert.deepEqual(await get(), after);
    const { modified } = await read(name);
    await saved(name, { count: 8, modified });
    assert.equal((await save(name, { count: 9, modified })).status, 417);
  });

  const since = async (modified: string) => {
    const filters = JSON.stringify([['modified', '>=', modified]]);
    const { body } = await site.request('GET', `/api/resource/Note?filters=${encodeURIComponent(filters)}`);
    return body.data.map((row: { name: string }) => row.name);
  };

  test('many changes of one document leave others at the clock', async () => {
    for (let count = 1; count <= 9; count += 1) await saved(name, { count });
    const other = await site.make('Note', { title: 'other' });
    assert.equal(secondsAhead(other.modified), 0);
    let { modified } = other;
    for (const title of ['a', 'b', 'c']) modified = await saved(other.name, { title, modified });
  });

  test('while clients poll, no change is in an earlier second than another before it', async () => {
    await since('2000-01-01 00:00:00');
    for (let count = 1; count <= 9; count += 1) await saved(name, { count });
    const { modified } = await read(name);
    const other = await site.make('Note', { title: 'other' });
    assert.ok(other.modified >= modified);
    assert.equal(secondsAhead(other.modified), 5);
    assert.ok((await since(modified)).includes(other.name));
  });

  test('a clock that is set back holds up nobody', async () => {
    const { modified } = await read(name);
    clock.now -= 3600 * SECOND;
    const next = await saved(name, { count: 1, modified });
    assert.ok(next > modified);
    assert.ok((await saved(name, { count: 2, modified: next })) > next);
    assert.equal(secondsAhead((await site.make('Note', { title: 'new' })).modified), 0);
    clock.now += 3600 * SECOND;
  });
});

// Ten times as fast as the machine's, since one document takes one guarded save a second in the long run.
const fast = { micros: () => START + Math.floor(performance.now() * 1000 * 10) };

describeEither('modified under load', { clock: fast, doctypes: [NOTE] }, (site) => {
  test('of 50 writers none loses a change, and a client that polls misses none', async () => {
    const docs = await Promise.all(
      ['hot', 'warm', 'cold'].map((title) => site.make('Note', { title, count: 0 })),
    );
    const names = docs.map((doc) => doc.name as string);
    let isWriting = true;
    const polled = new Map<string, number>();
    const poll = async () => {
      let cursor = '2000-01-01 00:00:00';
      for (let isLast = false; !isLast; ) {
        isLast = !isWriting;
        const query = new URLSearchParams({
          fields: '["name","count","modified"]',
          filters: JSON.stringify([['modified', '>=', cursor]]),
          order_by: 'modified asc',
          limit_page_length: '100',
        });
        for (const row of (await site.request('GET', `/api/resource/Note?${query}`)).body.data) {
          polled.set(row.name, row.count);
          cursor = row.modified;
        }
      }
    };
    const polling = poll();
    const increment = async (name: string): Promise<void> => {
      for (;;) {
        const path = `/api/resource/Note/${name}`;
        const { count, modified } = (await site.request('GET', path)).body.data;
        const { status, body } = await site.request('PUT', path, { body: { count: count + 1, modified } });
        if (status === 200) return;
        assert.equal(body.exc_type, 'TimestampMismatchError');
      }
    };
    const writers = Array.from({ length: 50 }, (_, writer) =>
      increment(names[writer < 30 ? 0 : writer < 45 ? 1 : 2] as string),
    );
    await Promise.all(writers);
    isWriting = false;
    await polling;
    assert.deepEqual(
      names.map((name) => polled.get(name)),
      [30, 15, 5],
    );
  });
});
