/** The database keeps its connections and answers nothing, like a process that is stopped. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { notes } from '../support/notes/app.ts';
import { startProxy } from '../support/proxy.ts';
import { startTestSite } from '../support/site.ts';
import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

const database = await siteDatabase('postgres', join(tmpdir(), `silent-${process.pid}`));
const through = new URL(database.url ?? '');
const target = { host: through.hostname, port: Number(through.port) };
const proxy = await startProxy(target);
through.port = String(proxy.port);
// Tests get more time to connect, which is also the time until a database counts as silent.
through.searchParams.set('connect_timeout', '5');
const site = await startTestSite('postgres', { apps: [notes], config: { database: through.href } });
after(async () => {
  proxy.thaw();
  await site.stop();
  await proxy.cut();
  await database.drop();
});

const create = (name: string) => site.request('POST', '/api/resource/Note', { body: { name, title: name } });
const names = async () =>
  (await site.ok('GET', '/api/resource/Note')).map((row: { name: string }) => row.name);

test('requests get 503 and /ready turns 503, until the database answers again', async () => {
  await site.make('Note', { name: 'before', title: 'before' });
  const slow = site.site.database.transaction(async (db) => {
    await db.get({ text: 'select 1 as "one"', values: [] });
    proxy.freeze();
    return db.get({ text: 'select 2 as "two"', values: [] });
  });
  // Far sooner than the 30 seconds of a transaction, as the messages tell: it was refused and did not take too long.
  await assert.rejects(slow, {
    type: 'ServiceUnavailableError',
    message: 'The database cannot be reached now',
  });
  const replies = await Promise.all([
    create('during'),
    site.request('GET', '/api/resource/Note/before'),
    site.request('GET', '/api/resource/Note'),
    site.request('GET', '/ready', { as: null }),
  ]);
  for (const reply of replies) assertEnvelope(reply, 'ServiceUnavailableError');
  for (const reply of replies) assert.ok(reply.headers.get('retry-after'), reply.text);
  assert.equal((await site.request('GET', '/health', { as: null })).status, 200);
  proxy.thaw();
  await until(async () => (await site.request('GET', '/ready', { as: null })).status === 200);
  assert.equal((await create('after')).status, 200);
  assert.deepEqual((await names()).sort(), ['after', 'before']);
});

test('a long statement is no silence, nor is a pause within the connect_timeout of the URL', async () => {
  const otherProxy = await startProxy(target);
  const url = new URL(through);
  url.port = String(otherProxy.port);
  url.searchParams.set('connect_timeout', '600');
  const patient = await openDatabase(url.href);
  try {
    const delayed = patient.transaction(async (db) => {
      await db.get({ text: 'select 1 as "one"', values: [] });
      otherProxy.freeze();
      return db.get({ text: 'select 2 as "two"', values: [] });
    });
    const long = site.site.database.reader.all({ text: `select pg_sleep(7)::text as "slept"`, values: [] });
    assert.deepEqual(await long, [{ slept: '' }]);
    otherProxy.thaw();
    assert.deepEqual(await delayed, { two: 2 });
  } finally {
    await patient.close();
    await otherProxy.cut();
  }
});
