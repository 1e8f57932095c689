/** Answers of PostgreSQL to a commit that do not say for certain what became of it. */
import assert from 'node:assert/strict';
import { after, afterEach, mock, test } from 'node:test';
import pg, { type QueryConfig } from 'pg';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, freshDatabase, tableSpec } from '../support/database.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const empty = await freshDatabaseUrl('postgres');
// A question for an outcome takes at most the time of a transaction.
const database = await freshDatabase('postgres', { transactionTimeout: 1_000 });
await change(database, { change: 'create_table', table: tableSpec('Log', { n: 'integer' }) });
after(() => empty.drop());
afterEach(() => mock.restoreAll());

const insert = (name: string) =>
  database.transaction((db) => db.run(sql`insert into "Log" ("name") values (${name})`));
const rows = async (name: string) =>
  (await database.reader.all(sql`select 1 from "Log" where "name" = ${name}`)).length;

const COMMIT = 'commit';
const QUESTION = 'on conflict ("token")';
type Answer = (client: pg.Client, reply: Promise<unknown>) => Promise<unknown>;

/** Passes the replies to commits, and to the questions for their outcome, through these functions. */
function meddle(commit: Answer, question: Answer = (_client, reply) => reply): void {
  const { query } = pg.Client.prototype;
  mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string | QueryConfig) {
    const reply: Promise<unknown> = Reflect.apply(query, this, [config]);
    const text = typeof config === 'string' ? config : config.text;
    if (text === COMMIT) return commit(this, reply);
    return text.includes(QUESTION) ? question(this, reply) : reply;
  });
}

/** As PostgreSQL does when somebody cancels the wait for a synchronous standby. */
async function withoutStandby(client: pg.Client, reply: Promise<unknown>): Promise<unknown> {
  const done = await reply;
  client.emit('notice', { severity: 'WARNING', code: '01000', routine: 'SyncRepWaitForLSN' });
  return done;
}

test('a commit that may be on no standby is acknowledged when a later commit is there', async () => {
  meddle(withoutStandby);
  await insert('late');
  assert.equal(await rows('late'), 1);
});

test('without any standby, its outcome is unknown', async () => {
  const questions: string[] = [];
  meddle(withoutStandby, (client, reply) => {
    questions.push('asked');
    return withoutStandby(client, reply);
  });
  await assert.rejects(insert('lonely'), { type: 'OutcomeUnknownError' });
  assert.ok(questions.length > 0);
  assert.equal(await rows('lonely'), 1);
});

test('other warnings say nothing about a commit', async () => {
  meddle(async (client, reply) => {
    client.emit('notice', { severity: 'WARNING', code: '01000', routine: 'AnyOther' });
    return reply;
  });
  const asked = mock.method(pg.Pool.prototype, 'connect');
  await insert('warned');
  assert.equal(asked.mock.callCount(), 1);
});

test('an error of the connection that has no known name is looked into', async () => {
  let isFirst = true;
  meddle(async (_client, reply) => {
    await reply;
    if (!isFirst) return reply;
    isFirst = false;
    throw Object.assign(new Error('bad record mac'), { code: 'ERR_SSL_BAD_RECORD_MAC' });
  });
  await insert('garbled');
  assert.equal(await rows('garbled'), 1);
});

test('two processes that start at once on an empty database both start', async () => {
  const other = new pg.Client(empty.url);
  await other.connect();
  const schema = new URL(empty.url).searchParams.get('schema');
  await other.query(`create schema "${schema}"`);
  const { rows: self } = await other.query('select pg_backend_pid() as "pid"');
  await other.query('begin');
  await other.query(`create table "${schema}"."_commit" ("token" uuid primary key, "made" boolean,
    "at" timestamptz)`);
  const opening = openDatabase(empty.url);
  const waiting = sql`select 1 from pg_stat_activity where ${self[0].pid}::int = any(pg_blocking_pids("pid"))`;
  // Over a connection of its own: a transaction sees one state of the activity.
  await until(async () => (await database.reader.all(waiting)).length > 0);
  await other.query('commit');
  await other.end();
  await (await opening).close();
});
