import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from '../support/database.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';

const fresh = await freshDatabaseUrl('sqlite');
const path = fresh.url.slice('sqlite:'.length);
// Groups stay open however slow the machine is.
const database = await openDatabase(fresh.url, { groupMillis: Number.POSITIVE_INFINITY });
after(async () => {
  await database.close();
  await fresh.drop();
});
await change(database, { change: 'create_table', table: tableSpec('Log', { n: 'integer', body: 'text' }) });
const insert = (name: string, body = '') => sql`insert into "Log" ("name", "body") values (${name}, ${body})`;
const has = async (name: string) =>
  (await database.reader.get(sql`select 1 as x from "Log" where "name" = ${name}`)) !== undefined;

test('the writer is durable and the reader cannot write', async () => {
  const settings = await database.transaction(async (connection) => [
    await connection.get({ text: 'pragma journal_mode', values: [] }),
    await connection.get({ text: 'pragma synchronous', values: [] }),
    await connection.get({ text: 'pragma foreign_keys', values: [] }),
    await connection.get({ text: 'pragma trusted_schema', values: [] }),
  ]);
  assert.deepEqual(settings, [
    { journal_mode: 'wal' },
    { synchronous: 2 },
    { foreign_keys: 1 },
    { trusted_schema: 0 },
  ]);
  await assert.rejects(database.reader.run(insert('from the reader')), /readonly/);
});

test('nobody is answered before the commit, then all are', async () => {
  const answered: string[] = [];
  let seenInside = ['not looked'];
  const first = database
    .transaction((connection) => connection.run(insert('first')))
    .then(() => answered.push('first'));
  const second = database
    .transaction(async (connection) => {
      // The first unit is done; turns of the event loop would let its answer out.
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      assert.equal(await has('first'), false);
      await connection.run(insert('second'));
      seenInside = [...answered];
    })
    .then(() => answered.push('second'));
  await Promise.all([first, second]);
  assert.deepEqual(seenInside, []);
  assert.deepEqual(answered, ['first', 'second']);
  assert.equal((await has('first')) && (await has('second')), true);
});

test('reads of one turn share a snapshot, which ends with the turn and with each commit', async () => {
  const other = new DatabaseSync(path);
  const [unseen, seen] = [await has('elsewhere'), await has('elsewhere')];
  other.exec(`insert into "Log" ("name") values ('elsewhere')`);
  assert.deepEqual([unseen, seen, await has('elsewhere')], [false, false, false]);
  await new Promise(setImmediate);
  assert.equal(await has('elsewhere'), true);
  other.close();
  const acknowledged = await database
    .transaction(async (connection) => {
      await connection.run(insert('own'));
      return [await has('own'), await has('own')];
    })
    .then(async (before) => [...before, await has('own')]);
  assert.deepEqual(acknowledged, [false, false, true]);
});

test('a refusal too waits for the commit it may rest on', async () => {
  const order: string[] = [];
  const good = database
    .transaction((connection) => connection.run(insert('rest')))
    .then(() => order.push('good'));
  const twin = database
    .transaction((connection) => connection.run(insert('rest')))
    .catch((error: { type?: string }) => order.push(String(error.type)));
  const last = database.transaction(async () => order.push('last runs'));
  await Promise.all([good, twin, last]);
  assert.deepEqual(order, ['last runs', 'good', 'DuplicateEntryError']);
});

test('a full disk refuses with 507, keeps what it accepted, and heals', async () => {
  const big = 'x'.repeat(200_000);
  const pages = await database.transaction((connection) =>
    connection.get({ text: 'pragma page_count', values: [] }),
  );
  const limit = (count: number) =>
    database.transaction((connection) =>
      connection.get({ text: `pragma max_page_count = ${count}`, values: [] }),
    );
  await limit(Number(pages?.['page_count']) + 60);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, (_, index) =>
      database.transaction(async (connection) => {
        await connection.run(insert(`full-${index}`, index % 2 === 1 ? big : 'small'));
      }),
    ),
  );
  for (const [index, outcome] of outcomes.entries()) {
    assert.equal(await has(`full-${index}`), outcome.status === 'fulfilled');
    if (outcome.status === 'rejected') assert.equal(outcome.reason.type, 'InsufficientStorageError');
  }
  assert.ok(outcomes.some(({ status }) => status === 'rejected'));
  await limit(1_000_000);
  await database.transaction((connection) => connection.run(insert('healed', big)));
  assert.equal(await has('healed'), true);
});

test("a database opens while another process's transaction holds the lock", async () => {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const beside = await openDatabase(fresh.url);
  assert.equal((await beside.reader.get(sql`select 1 as x`))?.['x'], 1);
  other.exec('rollback');
  other.close();
  await beside.close();
});

test('a read after the end is refused, and nothing else happens', async () => {
  const closed = await openDatabase(fresh.url);
  await closed.close();
  await assert.rejects(closed.reader.get(sql`select 1 as x`));
  await assert.rejects(closed.reader.get(sql`select 1 as x`));
  await new Promise(setImmediate);
});

test("another process's lock is waited for while reads go on", async () => {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  let done = false;
  const write = database
    .transaction((connection) => connection.run(insert('waited')))
    .then(() => {
      done = true;
    });
  for (let read = 0; read < 50; read += 1) {
    assert.equal(await has('waited'), false);
    await new Promise(setImmediate);
  }
  assert.equal(done, false);
  other.exec('commit');
  other.close();
  await write;
  assert.equal(await has('waited'), true);
});

test('statements see new columns, in the unit that adds them and on the reader', async () => {
  await change(database, { change: 'create_table', table: tableSpec('Wide', { a: 'text' }) });
  const all = sql`select * from "Wide"`;
  const columns = async (of: typeof database.reader) => Object.keys((await of.get(all)) ?? {});
  await database.transaction((connection) =>
    connection.run(sql`insert into "Wide" ("name") values (${'x'})`),
  );
  assert.deepEqual(await columns(database.reader), ['name', 'a']);
  await database.transaction(async (connection) => {
    assert.deepEqual(await columns(connection), ['name', 'a']);
    const column = { name: 'b', kind: 'real', notNullDefault: 0 } as const;
    for (const statement of connection.dialect.changeSql({ change: 'add_column', table: 'Wide', column })) {
      await connection.run(statement);
    }
    assert.deepEqual(await columns(connection), ['name', 'a', 'b']);
    assert.deepEqual(await columns(database.reader), ['name', 'a']);
  });
  assert.deepEqual(await columns(database.reader), ['name', 'a', 'b']);
});

test('more statement shapes than are kept prepared', async () => {
  for (let shape = 0; shape < 2_000; shape += 1) {
    assert.deepEqual(await database.reader.get({ text: `select ${shape} as x`, values: [] }), { x: shape });
  }
});

test('units queue fairly and a long queue is bounded', async () => {
  const order: number[] = [];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10_050 }, (_, index) => database.transaction(async () => order.push(index))),
  );
  assert.deepEqual(
    order,
    Array.from({ length: 10_000 }, (_, index) => index),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.equal(refused.length, 50);
  assert.equal(refused[0]?.status === 'rejected' && refused[0].reason.status, 503);
});

test('a file that is no database is refused in words', async () => {
  const { url, drop } = await freshDatabaseUrl('sqlite');
  await writeFile(
    url.slice('sqlite:'.length),
    'this is plainly not a database, as anyone can see'.repeat(100),
  );
  await assert.rejects(openDatabase(url), /cannot open the SQLite database .*: file is not a database/);
  await drop();
  await assert.rejects(openDatabase(url), /cannot open the SQLite database .*: unable to open database file/);
});

test('an unknown URL is refused in words', async () => {
  await assert.rejects(openDatabase('mysql://host/db'), /must begin with sqlite: or postgres:/);
});
