/**
 * The disk fails under SQLite: changes stop until a restart, because nobody can tell what was kept; reading
 * goes on.
 */
import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { Handle } from '../../src/db/sqlite/handle.ts';
import { change, tableSpec } from '../support/database.ts';
import { notes } from '../support/notes/app.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

const FSYNC = 1034;
const WRITE = 778;
const NO_MEMORY = 3082;

afterEach(() => mock.restoreAll());

/** The next statement of the writer that matches fails as the driver reports it. */
function failOnce(method: 'exec' | 'run', matches: RegExp, errcode: number): void {
  const original = Handle.prototype[method] as (statement: unknown) => unknown;
  let armed = true;
  mock.method(Handle.prototype, method, function (this: Handle, statement: { text: string } | string) {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (armed && matches.test(text)) {
      armed = false;
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode });
    }
    return original.call(this, statement);
  });
}

function create(site: TestSite, name: string) {
  return site.request('POST', '/api/resource/Note', { body: { name, title: name } });
}

for (const [what, method, matches, errcode, isUnknown] of [
  ['the fsync of a commit', 'exec', /^commit$/, FSYNC, true],
  ['a write within a transaction', 'run', /^insert into "Note"/i, WRITE, false],
] as const) {
  test(`after ${what} failed, changes give 503 and reads work`, async (t) => {
    const site = await startTestSite('sqlite', { apps: [notes] });
    t.after(() => site.stop());
    assert.equal((await create(site, 'kept')).status, 200);
    failOnce(method, matches, errcode);
    const replies = await Promise.all(['a', 'b', 'c'].map((name) => create(site, name)));
    // Whoever shared the transaction fell with it, and those behind it are refused.
    const unknown = replies.filter(({ status }) => status === 504);
    assert.equal(unknown.length > 0, isUnknown);
    for (const reply of unknown) {
      assertEnvelope(reply, 'OutcomeUnknownError');
      assert.equal(reply.headers.get('retry-after'), null);
    }
    // The disk that works again changes nothing.
    const refused = replies.filter((reply) => !unknown.includes(reply));
    for (const reply of [...refused, await create(site, 'later')]) {
      assertEnvelope(reply, 'ServiceUnavailableError');
      assert.match(reply.text, /changes are refused until the server restarts/);
      assert.equal(reply.headers.get('retry-after'), '60');
    }
    const deleted = await site.request('DELETE', '/api/resource/Note/kept');
    assertEnvelope(deleted, 'ServiceUnavailableError');
    const list = await site.request('GET', '/api/resource/Note');
    assert.deepEqual(list.body.data, [{ name: 'kept' }]);
    assert.equal((await site.request('GET', '/api/resource/Note/kept')).status, 200);
    assert.equal((await site.request('GET', '/health')).status, 200);
    assert.equal((await site.request('GET', '/ready')).status, 503);
    const told = site.observed.filter((one) => one.kind === 'unexpected' && one.where === 'database');
    assert.equal(told.length, 1);
  });
}

test('a failure of memory or locks passes', async (t) => {
  const site = await startTestSite('sqlite', { apps: [notes] });
  t.after(() => site.stop());
  // The first use of a key is noted, by a change of its own.
  assert.equal((await create(site, 'first')).status, 200);
  failOnce('exec', /^commit$/, NO_MEMORY);
  assertEnvelope(await create(site, 'a'), 'ServiceUnavailableError');
  assert.equal((await create(site, 'b')).status, 200);
  assert.equal((await site.request('GET', '/ready')).status, 200);
});

test('a reopened database accepts changes', async (t) => {
  const { url, drop } = await freshDatabaseUrl('sqlite');
  t.after(drop);
  const failures: unknown[] = [];
  const failing = await openDatabase(url, { onFailure: (error) => failures.push(error) });
  await change(failing, { change: 'create_table', table: tableSpec('Log', { n: 'integer' }) });
  const insert = (name: string) => sql`insert into "Log" ("name") values (${name})`;
  failOnce('exec', /^begin/, FSYNC);
  for (const name of ['a', 'b']) {
    await assert.rejects(
      failing.transaction((connection) => connection.run(insert(name))),
      /changes are refused/,
    );
  }
  assert.equal(failures.length, 1);
  await failing.close();
  const database = await openDatabase(url);
  await database.transaction((connection) => connection.run(insert('c')));
  assert.deepEqual(await database.reader.all(sql`select "name" from "Log"`), [{ name: 'c' }]);
  await database.close();
});
