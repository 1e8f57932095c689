/** The database behind PgBouncer, which gives each transaction another connection to PostgreSQL. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { NamedStatements } from '../../src/db/postgres/named-statements.ts';
import { sessionOf } from '../../src/db/postgres/session.ts';
import { postgresSettings } from '../../src/db/postgres/settings.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from '../support/database.ts';
import { NO_PGBOUNCER, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { asPostgresAdmin, freshDatabaseUrl, postgresUrl } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const TIMEOUT = 3_000;
const READ_TIMEOUT = 1_000;

describe('behind PgBouncer in transaction mode', { skip: NO_PGBOUNCER }, () => {
  let pooler: PgBouncer;
  let fresh: Awaited<ReturnType<typeof freshDatabaseUrl>>;
  let database: Database;
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);

  before(async () => {
    pooler = await startPgBouncer(await postgresUrl());
    fresh = await freshDatabaseUrl('postgres');
    database = await openDatabase(pooler.through(fresh.url), {
      transactionTimeout: TIMEOUT,
      queryTimeout: READ_TIMEOUT,
      onWarning,
    });
    await change(database, { change: 'create_table', table: tableSpec('Pooled Account', { n: 'real' }) });
  });
  after(async () => {
    await database.close();
    await fresh.drop();
    await pooler.stop();
  });

  const setting = (name: string) => sql`select current_setting(${name}) as "value"`;

  for (const [name, inTransaction, inRead] of [
    ['statement_timeout', '3s', '1s'],
    ['lock_timeout', '10s', '10s'],
    ['idle_in_transaction_session_timeout', '8s', '8s'],
    ['jit', 'off', 'off'],
    ['extra_float_digits', '1', '1'],
    ['DateStyle', 'ISO, YMD', 'ISO, YMD'],
    ['TimeZone', 'UTC', 'UTC'],
  ] as const) {
    test(`${name} holds in each transaction and each read`, async () => {
      const within = await database.transaction((connection) => connection.get(setting(name)));
      assert.equal(within?.['value'], inTransaction);
      assert.equal((await database.reader.get(setting(name)))?.['value'], inRead);
    });
  }

  test('a read past its time is ended in the server', async () => {
    await assert.rejects(database.reader.get(sql`select pg_sleep(600)::text as "slept"`), {
      type: 'QueryTimeoutError',
    });
    await asPostgresAdmin(async (client) => {
      const running = `select 1 from pg_stat_activity where state = 'active' and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`;
      await until(async () => (await client.query(running)).rowCount === 0);
    });
  });

  test('many transactions and reads at once use few connections, and each sees its own', async () => {
    await database.transaction((connection) =>
      connection.run(sql`insert into "Pooled Account" ("name", "n") values ('a', 0.1), ('b', 0)`),
    );
    const add = () =>
      database.transaction(async (connection) => {
        await connection.run(sql`update "Pooled Account" set "n" = "n" + 1 where "name" = 'b'`);
        return connection.get(sql`select "n" from "Pooled Account" where "name" = 'b'`);
      });
    const read = () => database.reader.get(sql`select "n" from "Pooled Account" where "name" = 'a'`);
    const [added, seen] = await Promise.all([
      Promise.all(Array.from({ length: 60 }, add)),
      Promise.all(Array.from({ length: 60 }, read)),
    ]);
    assert.deepEqual(
      new Set(added.map((row) => row?.['n'])),
      new Set(Array.from({ length: 60 }, (_, i) => i + 1)),
    );
    assert.deepEqual(new Set(seen.map((row) => row?.['n'])), new Set([0.1]));
  });

  test('a failed read undoes its transaction, and the connection goes on', async () => {
    for (let time = 0; time < 3; time += 1) {
      await assert.rejects(database.reader.get(sql`select 1 / 0 as "x"`));
      assert.equal((await database.reader.get(sql`select 1 as "one"`))?.['one'], 1);
    }
  });

  test('reads survive a change of the columns they return', async () => {
    const all = () => database.reader.all(sql`select * from "Pooled Account" where "name" = 'a'`);
    for (let time = 0; time < 4; time += 1) await all();
    const column = { name: 'extra', kind: 'text', notNullDefault: null } as const;
    await change(database, { change: 'add_column', table: 'Pooled Account', column });
    for (let time = 0; time < 4; time += 1) assert.equal((await all())[0]?.['extra'], null);
  });

  test('all is in the schema of the URL, and nothing in another', async () => {
    await asPostgresAdmin(async (client) => {
      const { rows } = await client.query(
        `select table_schema from information_schema.tables where table_name = 'Pooled Account'`,
      );
      assert.deepEqual(rows, [{ table_schema: database.dialect.schema }]);
    });
  });

  test('nobody hears notices without a listenUrl, and the operator is told', async () => {
    assert.ok(warnings.some((words) => words.includes('databaseListenUrl')));
    const heard = Promise.withResolvers<string>();
    const told = await openDatabase(pooler.through(fresh.url), { listenUrl: fresh.url });
    told.notices?.listen('node 2', heard.resolve);
    database.notices?.listen('node 1', () => heard.reject(new Error('a pooler let somebody listen')));
    const sending = setInterval(() => database.notices?.send('node 1', null), 50);
    assert.equal(await heard.promise, 'node 1');
    clearInterval(sending);
    await told.close();
  });

  test('the operator is told when the pooler keeps no prepared statements, and not after prepare=0', async () => {
    assert.ok(warnings.some((words) => words.includes('max_prepared_statements')));
    const quiet: string[] = [];
    const url = `${pooler.through(fresh.url)}&prepare=0`;
    const other = await openDatabase(url, { onWarning: (words) => quiet.push(words) });
    await other.close();
    assert.deepEqual(
      quiet.filter((words) => words.includes('max_prepared_statements')),
      [],
    );
  });
});

test('a statement that a pooler keeps beyond a change of its columns is sent unprepared', async () => {
  const { url, drop } = await freshDatabaseUrl('postgres');
  const found = { schema: 'public', isPooled: true, prepares: true };
  const settings = postgresSettings(url);
  const session = sessionOf(settings, found, {});
  // As a preparing pooler, the connection outlives what its users know of it.
  const client = new pg.Client({ ...session.client, connectionString: settings.urls[0] ?? '' });
  await client.connect();
  const read = { text: 'select * from "_kept_by_pooler"', values: [] };
  const readTwice = async (statements: NamedStatements) => {
    await statements.query(client, read);
    return (await statements.query(client, read)).rows;
  };
  try {
    await client.query('create temporary table "_kept_by_pooler" (a text)');
    await client.query('set search_path to pg_temp');
    const schema = String(
      (await client.query('select pg_my_temp_schema()::regnamespace::text as n')).rows[0].n,
    );
    const own = { ...session, schema };
    await readTwice(new NamedStatements(own));
    await client.query('alter table "_kept_by_pooler" add column b text');
    await assert.rejects(readTwice(new NamedStatements(own)), /cached plan must not change result type/);
    assert.deepEqual(await readTwice(new NamedStatements(own)), []);
  } finally {
    await client.end();
    await drop();
  }
});

describe('what the probe refuses', { skip: NO_PGBOUNCER }, () => {
  for (const [what, settings, change, words] of [
    [
      'a pooler in statement mode',
      { pool_mode: 'statement' },
      (url: string) => url,
      /pool_mode to transaction/,
    ],
    [
      'a search path without a schema',
      {},
      (url: string) => url.replace(/[?&]schema=\w+/, ''),
      /search_path of the user names no schema.*\?schema=/,
    ],
    [
      'another word than prepare=0',
      {},
      (url: string) => `${url}&prepare=1`,
      /prepare in the database URL must be 0/,
    ],
  ] as const) {
    test(what, async (t) => {
      const pooler = await startPgBouncer(await postgresUrl(), settings);
      t.after(() => pooler.stop());
      const { url } = await freshDatabaseUrl('postgres');
      await assert.rejects(async () => (await openDatabase(change(pooler.through(url)))).close(), words);
    });
  }
});
