/** Units that wait for one row lock share a transaction on PostgreSQL, and no unit can tell. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import pg from 'pg';
import type { Connection } from '../../src/db/database.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { change, freshDatabase, tableSpec } from '../support/database.ts';
import { until } from '../support/until.ts';

const TIMEOUT = 5_000;
// A shared transaction stays open however slow the machine is.
const database = await freshDatabase('postgres', {
  groupMillis: Number.POSITIVE_INFINITY,
  transactionTimeout: TIMEOUT,
});
// For work that waits as long as a unit waits for its turn.
const patient = await freshDatabase('postgres', {
  groupMillis: Number.POSITIVE_INFINITY,
  transactionTimeout: LIMITS.migrationTimeout,
});
const table = tableSpec('Log', { number: 'integer', transaction: 'text' });
for (const each of [database, patient]) {
  await change(each, { change: 'create_table', table });
  await change(each, { change: 'create_table', table: tableSpec('Counter', { current: 'integer' }) });
}

const insert = (name: string, number: number): Sql =>
  sql`insert into "Log" ("name", "number", "transaction") values (${name}, ${number}, pg_current_xact_id()::text)`;
const rows = () => database.reader.all(sql`select * from "Log" order by "number", "name"`);

async function nextNumber(connection: Connection): Promise<number> {
  await connection.takeTurn?.('counter');
  const row = await connection.get(
    sql`update "Counter" set "current" = "current" + 1 where "name" = 'c' returning "current"`,
  );
  return Number(row?.['current']);
}

/** Counts, and leaves a row without a wait, as a creation does. */
async function log(connection: Connection, name: string): Promise<number> {
  const number = await nextNumber(connection);
  if (!connection.send?.(insert(name, number))) await connection.run(insert(name, number));
  return number;
}

const LATE = { text: `select 'late' as "word"`, values: [] };
const throwing = (error: unknown): never => {
  throw error;
};
const named = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);

beforeEach(async () => {
  // So many connections are open afterwards that all units of a test wait in line at once.
  await Promise.all(
    named(8).map(() =>
      database.transaction((connection) => connection.get(sql`select pg_sleep(0.01) is null`)),
    ),
  );
  await database.transaction(async (connection) => {
    await connection.run(sql`delete from "Log"`);
    await connection.run(sql`delete from "Counter"`);
    await connection.run(sql`insert into "Counter" ("name") values ('c')`);
  });
});
afterEach(() => mock.restoreAll());

/** The numbers of the rows, and how many transactions wrote them. */
async function written() {
  const found = await rows();
  return {
    numbers: found.map((row) => row['number']),
    transactions: new Set(found.map((row) => row['transaction'])).size,
  };
}

test('units that take the same turn share one commit', async () => {
  const commits: string[] = [];
  const { query } = pg.Client.prototype;
  mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string) {
    if (/^(?:begin|commit|savepoint)/.test(config)) commits.push(config.split(' ')[0] ?? '');
    return Reflect.apply(query, this, [config]);
  });
  await Promise.all(named(4).map((name) => database.transaction((db) => log(db, name))));
  assert.deepEqual(commits, ['begin', 'savepoint', 'savepoint', 'savepoint', 'commit']);
  assert.deepEqual((await written()).numbers, [1, 2, 3, 4]);
});

test('no unit is answered before the commit', async () => {
  const seen: number[] = [];
  const last = Promise.withResolvers<void>();
  const units = named(3).map((name, index) =>
    database
      .transaction(async (connection) => {
        await log(connection, name);
        if (index === 2) last.resolve();
        if (index === 2) seen.push((await rows()).length);
      })
      .then(async () => seen.push((await rows()).length)),
  );
  await last.promise;
  await Promise.all(units);
  assert.deepEqual(seen, [0, 3, 3, 3]);
});

test('a refused unit leaves no trace, and no gap in the numbers', async () => {
  const outcomes = await Promise.allSettled(
    named(5).map((name, index) =>
      database.transaction(async (connection) => {
        await log(connection, name);
        if (index % 2 === 1) throw new Error(`refused ${name}`);
      }),
    ),
  );
  const refused = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message);
  assert.deepEqual(refused, [false, 'refused row 1', false, 'refused row 3', false]);
  assert.deepEqual((await written()).numbers, [1, 2, 3]);
});

test('a statement that fails refuses its unit alone', async () => {
  const outcomes = await Promise.allSettled(
    named(4).map((name, index) =>
      database.transaction(async (connection) => {
        const number = await nextNumber(connection);
        await connection.run(insert(index === 2 ? 'row 0' : name, number));
      }),
    ),
  );
  const refused = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.type);
  assert.deepEqual(refused, [false, false, 'DuplicateEntryError', false]);
  const { numbers } = await written();
  assert.deepEqual(numbers, [1, 2, 3]);
});

test('what a refused unit left behind fails late, and no unit runs again after the commit', async () => {
  const undone = Promise.withResolvers<void>();
  const { query } = pg.Client.prototype;
  mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string | pg.QueryConfig) {
    const answer: Promise<unknown> = Reflect.apply(query, this, [config]);
    if (typeof config !== 'string') {
      return config.text === LATE.text
        ? answer.catch((error) => undone.promise.then(() => throwing(error)))
        : answer;
    }
    if (config.startsWith('rollback to')) void answer.then(() => undone.resolve());
    return answer;
  });
  const runs: string[] = [];
  const outcomes = await Promise.allSettled(
    named(3).map((name, index) =>
      database.transaction(async (connection) => {
        runs.push(name);
        await log(connection, name);
        if (index === 1) await Promise.all([connection.run(sql`select 1 / 0`), connection.run(LATE)]);
      }),
    ),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(runs, named(3));
  assert.deepEqual((await written()).numbers, [1, 2]);
});

for (const place of [0, 1, 3]) {
  test(`a failure that unit ${place} did not wait for reaches it, and the others are stored`, async () => {
    await database.transaction((connection) => connection.run(insert('taken', 0)));
    const outcomes = await Promise.allSettled(
      named(4).map((name, index) => database.transaction((db) => log(db, index === place ? 'taken' : name))),
    );
    const refused = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.type);
    assert.deepEqual(
      refused,
      named(4).map((_, index) => index === place && 'DuplicateEntryError'),
    );
    assert.deepEqual((await written()).numbers, [0, 1, 2, 3]);
  });
}

test('a unit that takes too long is refused alone', async () => {
  const outcomes = await Promise.allSettled([
    database.transaction((db) => log(db, 'first')),
    database.transaction(async (connection) => {
      await log(connection, 'endless');
      await new Promise<void>(() => {});
    }),
  ]);
  assert.equal(outcomes[0].status, 'fulfilled');
  assert.match(String(outcomes[1].status === 'rejected' && outcomes[1].reason), /took too long/);
  assert.deepEqual((await written()).numbers, [1]);
});

/** The reply to the next commit gets lost: before the server has it, or after. */
function loseCommit(after: boolean): void {
  const { query } = pg.Client.prototype;
  let isLost = false;
  mock.method(pg.Client.prototype, 'query', async function (this: pg.Client, config: string) {
    if (config !== 'commit' || isLost) return Reflect.apply(query, this, [config]);
    isLost = true;
    if (after) await Reflect.apply(query, this, [config]);
    throw new Error('Connection terminated unexpectedly');
  });
}

for (const { title, after, expected } of [
  { title: 'that was made is found', after: true, expected: ['row 0', 'row 1', 'row 2'] },
  {
    title: 'that was not made is run again, each unit alone',
    after: false,
    expected: [...named(3), ...named(3)],
  },
]) {
  test(`a commit without a reply ${title}`, async () => {
    loseCommit(after);
    const runs: string[] = [];
    await Promise.all(
      named(3).map((name) =>
        database.transaction((connection) => {
          runs.push(name);
          return log(connection, name);
        }),
      ),
    );
    assert.deepEqual(runs.toSorted(), expected.toSorted());
    assert.deepEqual((await written()).numbers, [1, 2, 3]);
  });
}

test('when nobody can tell whether a shared commit was made, all its units say so', async () => {
  loseCommit(true);
  const { connect } = pg.Pool.prototype;
  let isAway = false;
  mock.method(pg.Pool.prototype, 'connect', function (this: pg.Pool) {
    return isAway ? Promise.reject(new Error('away')) : Reflect.apply(connect, this, []);
  });
  const runs: string[] = [];
  const outcomes = await Promise.allSettled(
    named(3).map((name, index) =>
      database.transaction(async (connection) => {
        runs.push(name);
        await log(connection, name);
        isAway = index === 2;
      }),
    ),
  );
  for (const outcome of outcomes) {
    const reason = outcome.status === 'rejected' && outcome.reason;
    assert.equal(reason.type, 'OutcomeUnknownError');
    assert.deepEqual(reason.details, {});
  }
  assert.deepEqual(runs, named(3));
  assert.deepEqual((await written()).numbers, [1, 2, 3]);
});

test('a unit that has begun has its own transaction, and one with two turns passes none on', async () => {
  const [ready, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = database.transaction(async (connection) => {
    await connection.takeTurn?.('another');
    await log(connection, 'two turns');
    ready.resolve();
    await begun.promise;
  });
  await ready.promise;
  await Promise.all([
    first,
    database.transaction((db) => log(db, 'later')),
    database.transaction(async (connection) => {
      await connection.run(insert('before the turn', 0));
      begun.resolve();
      await log(connection, 'begun');
    }),
  ]);
  const found = await rows();
  const transactionOf = (name: string) => found.find((row) => row['name'] === name)?.['transaction'];
  assert.equal(transactionOf('begun'), transactionOf('before the turn'));
  assert.equal(new Set(['begun', 'two turns', 'later'].map(transactionOf)).size, 3);
});

test('a unit that waits for two turns at once takes over one transaction', async () => {
  const waits = Promise.withResolvers<void>();
  const holders = ['one', 'another'].map((turn, number) => {
    const ready = Promise.withResolvers<void>();
    const ended = database.transaction(async (connection) => {
      await connection.takeTurn?.(turn);
      await connection.run(insert(turn, number));
      ready.resolve();
      await waits.promise;
    });
    return { ready: ready.promise, ended };
  });
  await Promise.all(holders.map(({ ready }) => ready));
  const both = database.transaction(async (connection) => {
    const turns = ['one', 'another'].map((turn) => connection.takeTurn?.(turn));
    waits.resolve();
    await Promise.all(turns);
    await connection.run(insert('both', 2));
  });
  await Promise.all([both, ...holders.map(({ ended }) => ended)]);
  assert.deepEqual(await written(), { numbers: [0, 1, 2], transactions: 2 });
});

test('a unit whose turn did not come in time passes none on', async () => {
  await patient.transaction((db) => db.run(sql`insert into "Counter" ("name") values ('c')`));
  const steps = Object.fromEntries(['first', 'late', 'next', 'last'].map((name) => [name, step()]));
  /** Waits for the row lock of a unit whose work is done up to here. */
  const blockedBy = async (name: string) => {
    const pid = await steps[name]?.pid.promise;
    await until(() =>
      patient.reader.get(
        sql`select 1 from pg_stat_activity where ${pid ?? 0}::int = any(pg_blocking_pids("pid"))`,
      ),
    );
  };
  const start = (name: string) =>
    patient.transaction(async (connection) => {
      const turn = connection.takeTurn?.('counter');
      steps[name]?.inLine.resolve();
      await turn;
      await log(connection, name);
      const row = await connection.get(sql`select pg_backend_pid() as "pid"`);
      steps[name]?.pid.resolve(Number(row?.['pid']));
      await steps[name]?.end.promise;
    });
  const first = start('first');
  await steps['first']?.pid.promise;
  const late = start('late');
  await blockedBy('first');
  steps['first']?.end.resolve();
  await steps['late']?.pid.promise;
  const next = start('next');
  await blockedBy('late');
  const last = start('last');
  await steps['last']?.inLine.promise;
  for (const { end } of Object.values(steps)) end.resolve();
  await Promise.all([first, late, next, last]);
  const found = await patient.reader.all(sql`select * from "Log"`);
  const transactionOf = (name: string) => found.find((row) => row['name'] === name)?.['transaction'];
  assert.equal(found.length, 4);
  assert.notEqual(transactionOf('last'), transactionOf('late'));
});

function step() {
  return {
    inLine: Promise.withResolvers<void>(),
    pid: Promise.withResolvers<number>(),
    end: Promise.withResolvers<void>(),
  };
}
