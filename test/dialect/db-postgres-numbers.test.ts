/** On PostgreSQL, a unit takes numbers of a counter for those that wait behind it, and no number is left out. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import pg from 'pg';
import type { Connection, Counter } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, freshDatabase, tableSpec } from '../support/database.ts';
import { PATIENCE } from '../support/until.ts';

// A shared transaction stays open, and its units in line, however slow the machine is.
const database = await freshDatabase('postgres', {
  groupMillis: Number.POSITIVE_INFINITY,
  turnMillis: PATIENCE,
});
for (const name of ['Log', 'Counter'])
  await change(database, { change: 'create_table', table: tableSpec(name, { number: 'integer' }) });

const counter: Counter = {
  turn: 'counter',
  add: (count) => ({
    text: `update "Counter" set "number" = "number" + $1 where "name" = 'c' returning "number" as "current"`,
    values: [count],
  }),
};

type After = (connection: Connection, number: number) => Promise<void>;
const fine: After = async () => {};
const refused: After = async () => {
  throw new Error('refused');
};

/**
 * Runs units of work that count and leave a row without a wait, as creations do. All wait in line when the first one
 * counts. `after`: what each does then. Resolves to their numbers, or the messages of their errors.
 */
async function inLine(...after: readonly After[]): Promise<readonly unknown[]> {
  const isReady = after.map(() => Promise.withResolvers<void>());
  const units: Promise<number>[] = [];
  for (const [place, then] of after.entries()) {
    const unit = database.transaction(async (connection) => {
      const turn = connection.takeTurn?.(counter.turn);
      isReady[place]?.resolve();
      await turn;
      await Promise.all(isReady.map(({ promise }) => promise));
      const number = await count(connection);
      await insert(connection, `row ${place}`, number);
      await then(connection, number);
      return number;
    });
    units.push(unit);
    await isReady[place]?.promise;
  }
  const outcomes = await Promise.allSettled(units);
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message));
}

async function count(connection: Connection): Promise<number> {
  return (await connection.count?.(counter)) ?? 0;
}

async function insert(connection: Connection, name: string, number: number): Promise<void> {
  const row = sql`insert into "Log" ("name", "number") values (${name}, ${number})`;
  if (!connection.send?.(row)) await connection.run(row);
}

const current = async () => {
  const row = await database.reader.get(sql`select "number" from "Counter" where "name" = 'c'`);
  return row?.['number'];
};

/** What was added to the counter by each statement. */
let counted: unknown[];
/** Resolves when the second of them has been sent. */
let countedTwice: PromiseWithResolvers<void>;
beforeEach(async () => {
  await database.transaction(async (connection) => {
    await connection.run(sql`delete from "Log"`);
    await connection.run(sql`delete from "Counter"`);
    await connection.run(sql`insert into "Counter" ("name") values ('c')`);
  });
  counted = [];
  countedTwice = Promise.withResolvers();
  const { query } = pg.Client.prototype;
  mock.method(pg.Client.prototype, 'query', function (this: pg.Client, config: string | pg.QueryConfig) {
    if (typeof config !== 'string' && /"Counter" set "number" = "number" \+/.test(config.text))
      counted.push(config.values?.[0]);
    if (counted.length === 2) countedTwice.resolve();
    return Reflect.apply(query, this, [config]);
  });
});
afterEach(() => mock.restoreAll());

for (const { title, units, numbers, added, last } of [
  {
    title: 'units in line take one statement',
    units: [fine, fine, fine, fine],
    numbers: [1, 2, 3, 4],
    added: [4],
    last: 4,
  },
  {
    title: 'the number of a refused unit goes to the next one, and the rest back',
    units: [fine, refused, fine, refused, fine],
    numbers: [1, 'refused', 2, 'refused', 3],
    added: [5, -2],
    last: 3,
  },
  {
    title: 'one that is refused at the end returns its number',
    units: [fine, fine, refused],
    numbers: [1, 2, 'refused'],
    added: [3, -1],
    last: 2,
  },
  {
    title: 'a unit that counts twice leaves the last one without a number',
    units: [fine, (db: Connection) => second(db), fine],
    numbers: [1, 2, 4],
    added: [3, 1],
    last: 4,
  },
  {
    title: 'a refused unit also returns the numbers that it took for others',
    units: [
      fine,
      async (db: Connection) => {
        for (let n = 0; n < 3; n += 1) await second(db);
        throw new Error('refused');
      },
      fine,
      fine,
    ],
    numbers: [1, 'refused', 2, 3],
    added: [4, 3, -1],
    last: 3,
  },
  {
    title: 'before another use of the row, a unit returns what is taken for others',
    units: [
      fine,
      async (db: Connection, number: number) => {
        await db.giveBack?.(counter.turn);
        await db.run(sql`update "Counter" set "number" = "number" - 1 where "number" = ${number}`);
        await db.run(sql`delete from "Log" where "number" = ${number}`);
      },
      fine,
      fine,
    ],
    numbers: [1, 2, 2, 3],
    added: [4, -2, 2],
    last: 3,
  },
]) {
  test(title, async () => {
    assert.deepEqual(await inLine(...units), numbers);
    assert.deepEqual(counted, added);
    assert.equal(await current(), last);
  });
}

const second = async (connection: Connection) => {
  const number = await count(connection);
  await insert(connection, `second ${number}`, number);
};

test('two numbers that a unit takes at once are two', async () => {
  const both: number[] = [];
  await inLine(async (db) => void both.push(...(await Promise.all([count(db), count(db)]))), fine);
  assert.deepEqual(both, [2, 3]);
  assert.equal(await current(), 4);
});

/** Counts once more than numbers are left, and does not wait. The statement is under way, and no other. */
const countInVain: After = async (db) => {
  await db.get(sql`select 1 as "one"`);
  for (let n = 0; n < 3; n += 1) db.count?.(counter).catch(() => {});
  await countedTwice.promise;
};

for (const { title, end, numbers, last } of [
  {
    title: 'the numbers that a refused unit has under way are for nobody',
    end: async () => {
      // The answers to what it has sent and to what undoes it arrive at the same moment.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50));
      throw new Error('refused');
    },
    numbers: [1, 'refused', 2, 3],
    last: 3,
  },
  {
    title: 'the numbers that a unit has under way at its end are for those behind it',
    end: async () => {},
    numbers: [1, 2, 5, 6],
    last: 6,
  },
]) {
  test(title, async () => {
    const unit: After = async (db, number) => {
      await countInVain(db, number);
      await end();
    };
    assert.deepEqual(await inLine(fine, unit, fine, fine), numbers);
    assert.equal(await current(), last);
  });
}

test('a failure that nobody waited for runs all again, each alone and for itself', async () => {
  await database.transaction((db) => insert(db, 'row 1', 0));
  const outcomes = await inLine(fine, fine, fine);
  const found = await database.reader.all(
    sql`select "number" from "Log" where "number" > 0 order by "number"`,
  );
  assert.equal(outcomes.filter((outcome) => typeof outcome === 'number').length, 2);
  assert.deepEqual(
    found.map(({ number }) => number),
    [1, 2],
  );
  assert.equal(await current(), 2);
});

/** Units that note the answer to one question: how often it was asked. */
function askers() {
  let asked = 0;
  const answers: unknown[] = [];
  const ask: After = async (db) => {
    const answer = await db.askTogether?.('how often', async () => {
      asked += 1;
      await db.get(sql`select 1 as "one"`);
      return asked;
    });
    answers.push(answer);
  };
  return { ask, answers };
}

test('an answer is for units that waited when it was asked, and for none that came later', async () => {
  const { ask, answers } = askers();
  const later = Promise.withResolvers<unknown>();
  const askWhileOneComes: After = async (db) => {
    const isThere = Promise.withResolvers<void>();
    const coming = database.transaction(async (connection) => {
      const turn = connection.takeTurn?.(counter.turn);
      isThere.resolve();
      await turn;
      await insert(connection, 'later', await count(connection));
      await ask(connection, 0);
    });
    later.resolve(coming);
    await isThere.promise;
    await ask(db, 0);
  };
  await inLine(ask, ask, askWhileOneComes, ask);
  await later.promise;
  assert.deepEqual(answers, [1, 1, 1, 1, 2]);
});

test('an answer that may show what a refused unit has changed is for no other', async () => {
  const { ask, answers } = askers();
  const askInVain: After = async (db, number) => {
    await ask(db, number);
    throw new Error('refused');
  };
  await inLine(fine, askInVain, ask, ask);
  assert.deepEqual(answers, [1, 2, 2]);
});
