import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, freshDatabase, tableSpec } from '../support/database.ts';
import { freshDatabaseUrl, postgresUrl } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';

const fresh = await freshDatabaseUrl('postgres');
const direct = new URL(fresh.url);
const proxy = await startProxy({ host: direct.hostname, port: Number(direct.port) });
const through = new URL(fresh.url);
through.port = String(proxy.port);

const retries: string[] = [];
const database = await openDatabase(through.href, { onRetry: (reason) => retries.push(reason) });
after(async () => {
  await database.close();
  await proxy.cut();
  await fresh.drop();
});
await change(database, { change: 'create_table', table: tableSpec('Account', { n: 'integer' }) });
await database.transaction((connection) =>
  connection.run(sql`insert into "Account" ("name", "n") values (${'a'}, ${0}), (${'b'}, ${0})`),
);
const readAll = () => database.reader.all(sql`select * from "Account" order by "name"`);
const add = (name: string) => sql`update "Account" set "n" = "n" + 1 where "name" = ${name}`;

test('a deadlock is run again and both transactions succeed', async () => {
  retries.length = 0;
  const firstTaken: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
  const both = Promise.all(firstTaken.map(({ promise }) => promise));
  const cross = (order: readonly [string, string], place: number) =>
    database.transaction(async (connection) => {
      await connection.run(add(order[0]));
      firstTaken[place]?.resolve();
      await both;
      await connection.run(add(order[1]));
    });
  await Promise.all([cross(['a', 'b'], 0), cross(['b', 'a'], 1)]);
  assert.deepEqual(await readAll(), [
    { name: 'a', n: 2 },
    { name: 'b', n: 2 },
  ]);
  assert.ok(retries.length >= 1);
});

test('while the server is away everything answers 503, and heals without a restart', async () => {
  const hundred = () => Promise.allSettled(Array.from({ length: 100 }, readAll));
  await hundred();
  let reached = () => {};
  const inside = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const cut = Promise.withResolvers<void>();
  const running = database.transaction(async (connection) => {
    await connection.run(add('a'));
    reached();
    await cut.promise;
    await connection.run(add('b'));
  });
  running.catch(() => {});
  await inside;
  const inFlight = hundred();
  await proxy.cut();
  cut.resolve();
  for (const outcome of await inFlight) {
    if (outcome.status === 'rejected') assert.equal(outcome.reason.status, 503);
  }
  await assert.rejects(running, { type: 'ServiceUnavailableError' });
  await assert.rejects(readAll(), { type: 'ServiceUnavailableError' });
  await assert.rejects(database.ping(), { type: 'ServiceUnavailableError' });
  await assert.rejects(
    database.transaction((connection) => connection.run(add('a'))),
    (error: { status?: number; details?: { headers?: Record<string, string> } }) =>
      error.status === 503 && error.details?.headers?.['Retry-After'] === '1',
  );
  await proxy.mend();
  await database.ping();
  assert.deepEqual(await readAll(), [
    { name: 'a', n: 2 },
    { name: 'b', n: 2 },
  ]);
  await database.transaction((connection) => connection.run(add('a')));
  assert.equal((await readAll())[0]?.['n'], 3);
});

test('connections that died while idle are replaced unseen', async () => {
  await Promise.all(Array.from({ length: 20 }, readAll));
  await proxy.cut();
  await proxy.mend();
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 20 }, readAll),
    database.transaction((connection) => connection.run(add('b'))),
  ]);
  assert.deepEqual(
    outcomes.filter(({ status }) => status === 'rejected'),
    [],
  );
});

test('prepared statements survive a change of the columns they return', async () => {
  for (let time = 0; time < 6; time += 1) await readAll();
  const inTransaction = { text: 'select * from "Account" order by "name"', values: [] };
  for (let time = 0; time < 3; time += 1) await database.transaction((db) => db.all(inTransaction));
  await change(database, {
    change: 'add_column',
    table: 'Account',
    column: { name: 'extra', kind: 'text', notNullDefault: null },
  });
  for (let time = 0; time < 6; time += 1) assert.equal((await readAll())[0]?.['extra'], null);
  for (let time = 0; time < 3; time += 1) {
    assert.equal((await database.transaction((db) => db.all(inTransaction)))[0]?.['extra'], null);
  }
});

test('statements of ever new shapes do not pile up in the server', async () => {
  for (let shape = 0; shape < 2_500; shape += 1) {
    const statement = { text: `select ${shape} as x`, values: [] };
    for (let time = 0; time < 4; time += 1) {
      assert.deepEqual(await database.reader.get(statement), { x: shape });
    }
  }
  const held = await database.reader.get(sql`select count(*) as n from pg_prepared_statements`);
  assert.ok(Number(held?.['n']) <= 1_001, `${held?.['n']} are prepared`);
});

test('an error inside a pipelined read touches no other read', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      database.reader.get(index % 3 === 0 ? sql`select 1 / 0 as x` : sql`select ${index}::int as x`),
    ),
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (index % 3 === 0) assert.equal(outcome.status, 'rejected');
    else assert.deepEqual(outcome, { status: 'fulfilled', value: { x: index } });
  }
});

test('a statement nobody waited for cannot be lost in a commit', async () => {
  const outcome = database.transaction(async (connection) => {
    connection.run(sql`insert into "Account" ("name") values (${'a'})`).catch(() => {});
    await connection.run(add('b')).catch(() => {});
  });
  await assert.rejects(outcome, { type: 'DuplicateEntryError' });
});

test('work that went on past a failed statement runs again and waits for each', async () => {
  const insert = (name: string) => sql`insert into "Account" ("name") values (${name})`;
  const seen: string[] = [];
  await database.transaction(async (connection) => {
    await connection.run(add('b'));
    seen.push(connection.send?.(insert('a')) ? 'sent' : 'must wait');
  });
  assert.deepEqual(seen, ['sent', 'must wait']);
  // The driver would fail before it sends this, and the commit would go without it.
  const unsendable = { text: 'select $1', values: [{ toPostgres: () => assert.fail() } as never] };
  await database.transaction(async (connection) => {
    assert.equal(connection.send?.(unsendable), null);
  });
  const outcome = database.transaction(async (connection) => {
    await connection.run(add('b'));
    if (!connection.send?.(insert('a'))) await connection.run(insert('a'));
  });
  await assert.rejects(outcome, { type: 'DuplicateEntryError' });
  let name: unknown;
  await database.transaction(async (connection) => {
    const sent = connection.send?.(sql`${insert('sent')} returning "name"`);
    sent?.then(([row]) => {
      name = row?.['name'];
    });
  });
  assert.equal(name, 'sent');
  assert.deepEqual(
    (await readAll()).map((row) => row['name']),
    ['a', 'b', 'sent'],
  );
});

test('a server without fsync is refused unless the URL accepts it, and no message holds the password', async () => {
  const careful = new URL(await postgresUrl());
  careful.password = 'pass-word';
  careful.searchParams.delete('unsafe');
  await assert.rejects(openDatabase(careful.href), (error: Error) => {
    assert.match(error.message, /fsync=off/);
    assert.doesNotMatch(error.message, /pass-word/);
    return true;
  });
  careful.port = '1';
  await assert.rejects(openDatabase(careful.href), (error: Error) => {
    assert.match(error.message, /cannot use the PostgreSQL database 127\.0\.0\.1:1/);
    assert.doesNotMatch(error.message, /pass-word/);
    return true;
  });
});

test('connect_timeout in the URL limits the wait for a server that accepts and never answers', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://user@127.0.0.1:${port}/x?connect_timeout=`;
  await assert.rejects(openDatabase(`${url}1`), /cannot use the PostgreSQL database .*timeout/);
  for (const wrong of ['0', '-1', '1.5', '10000', 'x', '']) {
    await assert.rejects(
      openDatabase(url + wrong),
      /connect_timeout in the database URL must be 1 to 9999 seconds/,
    );
  }
});

test('names that PostgreSQL would cut are refused', async () => {
  const plain = await freshDatabase('postgres');
  const table = tableSpec('ü'.repeat(32), { a: 'text' });
  await assert.rejects(change(plain, { change: 'create_table', table }), { type: 'NameError' });
});

test('transactions take turns in order, and again in the same transaction at once', async () => {
  const order: string[] = [];
  const end = Promise.withResolvers<void>();
  const inTurn = async (name: string, work: Promise<void>) => {
    const asked = Promise.withResolvers<void>();
    const done = database.transaction(async (connection) => {
      const turn = Promise.all([connection.takeTurn?.('lane'), connection.takeTurn?.('lane')]);
      asked.resolve();
      await turn;
      order.push(`${name} enters`);
      await work;
      order.push(`${name} leaves`);
      if (name === 'b') throw new Error('refused');
    });
    await asked.promise;
    return { done };
  };
  const all = [
    await inTurn('a', end.promise),
    await inTurn('b', Promise.resolve()),
    await inTurn('c', Promise.resolve()),
  ];
  // A transaction of another lane does not wait.
  await database.transaction(async (connection) => connection.takeTurn?.('other lane'));
  order.push('end');
  end.resolve();
  await Promise.allSettled(all.map(({ done }) => done));
  assert.deepEqual(order, [
    'a enters',
    'end',
    ...['a leaves', 'b enters', 'b leaves', 'c enters', 'c leaves'],
  ]);
});

test('a transaction whose turn does not come goes on, since the database finds deadlocks', async () => {
  const crossed: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
  const both = Promise.all(crossed.map(({ promise }) => promise));
  const cross = (lanes: readonly string[], place: number) =>
    database.transaction(async (connection) => {
      await connection.takeTurn?.(lanes[0] ?? '');
      crossed[place]?.resolve();
      await both;
      await connection.takeTurn?.(lanes[1] ?? '');
      await connection.run(add('a'));
    });
  await Promise.all([cross(['left', 'right'], 0), cross(['right', 'left'], 1)]);
});
