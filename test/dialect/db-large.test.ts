/** Answers that are too large: refused, never empty or short, and the next read works. */
import assert from 'node:assert/strict';
import type { EventEmitter } from 'node:events';
import { test } from 'node:test';
import pg from 'pg';
import type { Connection } from '../../src/db/database.ts';
import { databaseError } from '../../src/db/driver-errors.ts';
import { ownClient } from '../../src/db/postgres/client.ts';
import { Hosts } from '../../src/db/postgres/hosts.ts';
import { sql } from '../../src/db/sql.ts';
import { Handle } from '../../src/db/sqlite/handle.ts';
import { inline, TOO_LONG, timed } from '../../src/db/sqlite/meter.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { TooLarge } from '../../src/kernel/too-large.ts';
import { change, freshDatabase, tableSpec } from '../support/database.ts';
import { refused } from '../support/errors.ts';
import { ENGINES, freshDatabaseUrl, postgresUrl } from '../support/postgres.ts';

const ROWS = 200;
const TEXT = 'x'.repeat(100);

const databases = await Promise.all(
  ENGINES.flatMap((engine) =>
    (engine === 'sqlite' ? [8_192, 1] : [8_192]).map(async (inlineRows) => {
      const database = await freshDatabase(engine, { inlineRows });
      await change(database, { change: 'create_table', table: tableSpec('Thing', { t: 'text' }) });
      await change(database, { change: 'create_table', table: tableSpec('Parsed', { t: 'text' }) });
      await database.transaction(async (connection) => {
        for (let at = 0; at < 100; at += 1) {
          await connection.run(sql`insert into "Parsed" ("name", "t") values (${`n${at}`}, '[]')`);
        }
        for (let at = 0; at < ROWS; at += 1) {
          await connection.run(sql`insert into "Thing" ("name", "t") values (${`n${at}`}, ${TEXT})`);
        }
      });
      return { engine: inlineRows === 1 ? 'sqlite on a thread' : engine, database };
    }),
  ),
);

for (const { engine, database } of databases) {
  const { dialect, reader } = database;
  const things = sql`select "_t"."t" as "json" from "Thing" as "_t"`;
  const places: [string, <T>(read: (connection: Connection) => Promise<T>) => Promise<T>][] = [
    ['a read', (read) => read(reader)],
    ['a read in a transaction', (read) => database.transaction(read)],
  ];

  for (const [place, within] of places) {
    test(`${engine}, ${place}: rows with more text than allowed are refused, others come`, async () => {
      const most = ROWS * TEXT.length;
      assert.equal((await within((connection) => connection.all(things, most))).length, ROWS);
      await refused(
        within((connection) => connection.all(things, most - 1)),
        'DataError',
        /larger than 19999 bytes/,
      );
      assert.equal((await within((connection) => connection.all(things, most))).length, ROWS);
    });

    test(`${engine}, ${place}: an array with more text than allowed is null, never shorter`, async () => {
      const least = ROWS * TEXT.length + ROWS - 1;
      const array = async (most: number) =>
        (
          await within((connection) =>
            connection.get(sql`select ${dialect.jsonArray(things, most)} as "json"`),
          )
        )?.['json'];
      assert.equal(String(await array(least)).length, least + 2);
      assert.equal(await array(least - 1), null);
    });

    test(`${engine}, ${place}: a statement that fails amid its rows fails once`, async () => {
      const parsed = dialect.name === 'sqlite' ? sql`json("_t"."t")` : sql`("_t"."t")::json::text`;
      const statement = sql`select ${parsed} as "json" from "Parsed" as "_t" order by "_t"."name"`;
      const set = (value: string) =>
        database.transaction((connection) =>
          connection.run(sql`update "Parsed" set "t" = ${value} where "name" = 'n50'`),
        );
      const read = () => within((connection) => connection.all(statement, 1e6));
      await set('{');
      await assert.rejects(read());
      await assert.rejects(read());
      await set('[]');
      const rows = await read();
      assert.deepEqual([rows.length, rows.at(0)], [100, { json: '[]' }]);
    });

    if (dialect.name === 'postgres') continue;
    test(`${engine}, ${place}: a text longer than JavaScript can hold is refused, and the next read works`, async () => {
      const long = sql`select hex(zeroblob(${LIMITS.stringLength / 2 + 1})) as "long"`;
      await refused(
        within((connection) => connection.get(long)),
        'DataError',
        /larger than/,
      );
      const row = await within((connection) => connection.get(sql`select 1 as "one"`));
      assert.equal(row?.['one'], 1);
    });
  }
}

test('sqlite: a read that is refused for being long does not put off the next try', async (context) => {
  const { url, drop } = await freshDatabaseUrl('sqlite');
  const path = url.slice('sqlite:'.length);
  const writer = Handle.open(path, 'writer', timed());
  writer.exec('create table "Thing" ("name" text primary key, "t" text) strict');
  const reader = Handle.open(path, 'reader', inline(1));
  // More than the meter skips between two samples.
  for (let at = 0; at < 20; at += 1) {
    writer.run({ text: 'insert into "Thing" values (?, ?)', values: [`n${at}`, TEXT] });
  }
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const read = () => reader.all({ text: 'select "_t"."t" from "Thing" as "_t"', values: [] }, 1e6);
  assert.throws(read, TOO_LONG);
  writer.exec(`delete from "Thing" where "name" <> 'n0'`);
  for (now of [400, 800]) assert.throws(read, TOO_LONG);
  now = 1_001;
  assert.deepEqual(read(), [{ t: TEXT }]);
  reader.close();
  writer.close();
  await drop();
});

test('postgres: an answer that the driver cannot read fails its statement and the connection, not the process', async () => {
  const url = new URL(await postgresUrl());
  url.search = '';
  const hosts = new Hosts([url.href], (config) => new pg.Client(config));
  const Guarded = ownClient(pg.Client, process.nextTick, hosts, null);
  const client = new Guarded();
  client.on('error', () => {});
  await client.connect();
  const { connection } = client as unknown as { connection: EventEmitter };
  // The driver throws this amid reading a row, for half a gigabyte that would take the test too long to send.
  const unreadable = Object.assign(new Error('too long'), { code: 'ERR_STRING_TOO_LONG' });
  connection.once('dataRow', () => {
    throw unreadable;
  });
  await assert.rejects(client.query('select 1'), unreadable);
  assert.ok(databaseError(unreadable) instanceof TooLarge);
  await client.end();
});
