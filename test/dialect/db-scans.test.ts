import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { ScanPool } from '../../src/db/sqlite/scan-pool.ts';
import type { ServiceError } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { change, freshDatabase, tableSpec } from '../support/database.ts';
import { ENGINES, freshDatabaseUrl } from '../support/postgres.ts';
import { countScans } from '../support/scans.ts';

const ROWS = 200_000;
const NEEDS_SQLITE = { skip: !ENGINES.includes('sqlite') };

const databases = await Promise.all(
  ENGINES.map(async (engine) => ({ engine, database: await seeded(await freshDatabase(engine)) })),
);
const impatient = await Promise.all(
  ENGINES.map(async (engine) => {
    const database = await seeded(await freshDatabase(engine, { queryTimeout: 1_000 }), 20_000);
    return { engine, database };
  }),
);

async function seeded(database: Database, rows: number = ROWS): Promise<Database> {
  const index = { name: `_ix_big_y_${rows}`, columns: ['y', 'name'], unique: false };
  await change(
    database,
    { change: 'create_table', table: tableSpec('Big', { x: 'integer', y: 'integer', t: 'text' }) },
    { change: 'create_index', table: 'Big', index },
  );
  await database.transaction((connection) =>
    connection.run(
      connection.dialect.name === 'sqlite'
        ? sql`with recursive s(i) as (select 1 union all select i + 1 from s where i < ${rows})
            insert into "Big" ("name", "x", "y", "t") select 'n' || i, i, i % 5, 'text ' || i from s`
        : sql`insert into "Big" ("name", "x", "y", "t")
            select 'n' || i, i, i % 5, 'text ' || i from generate_series(1, ${rows}) as s(i)`,
    ),
  );
  return database;
}

/**
 * Reads every row, and on SQLite calls a function of ours for each. PostgreSQL is quicker, and reads each
 * many times.
 */
const scan = (database: Database, pattern: string): Sql => {
  const times = database.dialect.name === 'sqlite' ? sql`` : sql`cross join generate_series(1, 15) as "time"`;
  return sql`select count(*) as "n" from "Big" as "_t" ${times} where ${database.dialect.like(sql`"_t"."t"`, pattern)}`;
};
const byKey = (name: string): Sql => sql`select "x" from "Big" where "name" = ${name}`;
/** As long as anyone has patience for. */
const ENDLESS = sql`select count(*) as "n" from "Big" as "_t", "Big" as "b" where "b"."x" <> "_t"."x" and "b"."x" * "_t"."x" = -1`;

/** On SQLite closing does it. PostgreSQL finishes what it was asked, and may not have begun with all of it. */
async function endScans(database: Database, areOver: () => boolean): Promise<void> {
  while (!areOver()) {
    await database.reader.get(
      sql`select count(pg_cancel_backend("pid")) as "n" from pg_stat_activity
        where "query" like '%"Big" as "b"%' and "pid" <> pg_backend_pid() and "datname" = current_database()`,
    );
  }
}

for (const { engine, database } of databases) {
  test(`${engine}: reads by key and by index go on while scans run`, async () => {
    const list = sql`select "_t"."x" from "Big" as "_t" where "_t"."y" = ${1} order by "_t"."name" limit ${20}`;
    const { url, drop } = await freshDatabaseUrl(engine);
    const busy = await seeded(await openDatabase(url, { queryTimeout: 600_000 }), 20_000);
    const ended: unknown[] = [];
    const note = (outcome: unknown) => void ended.push(outcome);
    // One place stays free for a list that was late once, and waits its turn with the scans from then on.
    const scans = Array.from({ length: LIMITS.scanThreads - 1 }, () =>
      busy.reader.get(ENDLESS).then(note, note),
    );
    for (let turn = 0; turn < 20; turn += 1) {
      assert.deepEqual(await busy.reader.get(byKey(`n${turn + 1}`)), { x: turn + 1 });
      assert.equal((await busy.reader.all(list)).length, 20);
    }
    assert.deepEqual(ended, [], 'a scan without an end has ended');
    if (engine === 'postgres') await endScans(busy, () => ended.length === scans.length);
    await busy.close();
    await Promise.all(scans);
    assert.equal(ended.length, scans.length);
    await drop();
  });

  test(`${engine}: scans side by side find the same`, async () => {
    const patterns = ['%9%', '%8%', '%7%'];
    const rows = await Promise.all(patterns.map((pattern) => database.reader.get(scan(database, pattern))));
    const counts = rows.map((row) => Number(row?.['n']));
    assert.deepEqual(counts, [counts[0], counts[0], counts[0]]);
    assert.ok(Number(counts[0]) > 1_000);
  });

  if (engine === 'sqlite') {
    test('sqlite: a list that a statement is given is no table, so a read by key stays here', async (t) => {
      const scansOf = countScans(t);
      const names = JSON.stringify(['n5', 'n9']);
      const listed = sql`select "x" from "Big" where "name" in (select "value" from json_each(${names}))`;
      const read = async () => assert.deepEqual(await database.reader.all(listed), [{ x: 5 }, { x: 9 }]);
      assert.equal(await scansOf(read), 0, 'it went to a thread');
    });
  }

  test(`${engine}: what a scan answers is what the same statement answers in a transaction`, async () => {
    const statements = [
      sql`select "_t"."name", "_t"."x" from "Big" as "_t" where "_t"."x" % 5000 = 7 order by "_t"."x" desc`,
      sql`select "_t"."y", count(*) as "n", sum("_t"."x") as "s" from "Big" as "_t" group by "_t"."y" order by "_t"."y"`,
      sql`select "_t"."name" from "Big" as "_t" where "_t"."y" = ${3} order by "_t"."name" limit ${5} offset ${30_000}`,
      sql`select count(*) as "count" from "Big" as "_t"`,
      sql`select max("x") as "most" from "Big"`,
    ];
    for (const statement of statements) {
      const rows = await database.reader.all(statement);
      assert.ok(rows.length > 0);
      assert.deepEqual(rows, await database.transaction((connection) => connection.all(statement)));
      assert.deepEqual(await database.reader.get(statement), rows[0]);
    }
  });

  test(`${engine}: a scan sees what was committed before it, columns added meanwhile too`, async () => {
    const whole = sql`select * from "Big" as "_t" where "_t"."t" = ${'changed'}`;
    assert.deepEqual(await database.reader.all(whole), []);
    await change(database, {
      change: 'add_column',
      table: 'Big',
      column: { name: 'added', kind: 'text', notNullDefault: null },
    });
    await database.transaction((connection) =>
      connection.run(sql`update "Big" set "t" = 'changed', "added" = 'a' where "name" = 'n77'`),
    );
    const [row, ...others] = await database.reader.all(whole);
    assert.deepEqual(others, []);
    assert.deepEqual([row?.['name'], row?.['added']], ['n77', 'a']);
  });

  test(`${engine}: a statement that fails on its way through many rows fails as elsewhere`, async () => {
    const wrong = sql`select "_t"."nothing" from "Big" as "_t"`;
    await assert.rejects(database.reader.all(wrong), /nothing/);
  });
}

for (const { engine, database } of impatient) {
  test(`${engine}: a read beyond its time is ended and answered as such; the next one works`, async () => {
    await assert.rejects(database.reader.get(ENDLESS), { type: 'QueryTimeoutError', status: 503 });
    const row = await database.reader.get(
      sql`select count(*) as "n" from "Big" as "_t" where "_t"."x" > ${0}`,
    );
    assert.equal(row?.['n'], 20_000);
  });
}

test(
  'sqlite: a view, which has no rowid, is listed like a table, and its long reads are metered too',
  NEEDS_SQLITE,
  async () => {
    const sqlite = databases.find(({ engine }) => engine === 'sqlite')?.database;
    assert.ok(sqlite);
    await sqlite.transaction((connection) =>
      connection.run(sql`create view "Big View" as select "name", "x", "t" from "Big"`),
    );
    const list = (limit: number) =>
      sql`select "_t"."x" from "Big View" as "_t" order by "_t"."x" desc limit ${limit}`;
    assert.deepEqual(
      (await sqlite.reader.all(list(2))).map(({ x }) => x),
      [ROWS, ROWS - 1],
    );
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    assert.equal((await sqlite.reader.all(list(ROWS))).length, ROWS);
    clearInterval(timer);
    assert.ok(turns > 0, 'the event loop stood still');
  },
);

test('sqlite: a read of rows at a regular distance is metered too', NEEDS_SQLITE, async (t) => {
  const scansOf = countScans(t);
  const sqlite = databases.find(({ engine }) => engine === 'sqlite')?.database;
  assert.ok(sqlite);
  const index = { name: '_ix_regular', columns: ['y', 'name'], unique: false };
  const table = tableSpec('Regular', { y: 'integer', t: 'text' });
  await change(
    sqlite,
    { change: 'create_table', table },
    { change: 'create_index', table: 'Regular', index },
  );
  await sqlite.transaction((connection) =>
    connection.run(
      sql`insert into "Regular" ("name", "y", "t") select "name", "x" % 11, "t" from "Big" order by "x"`,
    ),
  );
  for (let y = 0; y < 11; y += 1) {
    const rows = sql`select count("_t"."t") as "n" from "Regular" as "_t" where "_t"."y" = ${y}`;
    const read = async () => assert.ok(Number((await sqlite.reader.get(rows))?.['n']) > 18_000);
    assert.equal(await scansOf(read), 1, `rows with the rest ${y} were read on the event loop`);
  }
});

test('sqlite: more long reads than may wait are refused at once with a time to come back', async () => {
  const { url, drop } = await freshDatabaseUrl('sqlite');
  const database = await seeded(await openDatabase(url, { queryTimeout: 600_000 }), 20_000);
  const places = LIMITS.scanThreads + LIMITS.waitingScans;
  let ended = 0;
  const reads = Array.from({ length: places + 3 }, () =>
    database.reader
      .get(ENDLESS)
      .then(
        () => 'done',
        ({ type, details }: ServiceError) => [type, details.headers],
      )
      .finally(() => {
        ended += 1;
      }),
  );
  const refused = ['ServiceUnavailableError', { 'Retry-After': '1' }];
  for (const read of reads.slice(places)) assert.deepEqual(await read, refused);
  assert.equal(ended, 3, 'a read that had a place has ended');
  await database.close();
  await Promise.all(reads);
  await drop();
});

test('sqlite: closing ends a scan that runs, and says so', async () => {
  const { url, drop } = await freshDatabaseUrl('sqlite');
  const database = await seeded(await openDatabase(url), 20_000);
  const running = assert.rejects(database.reader.get(ENDLESS), { type: 'ServiceUnavailableError' });
  await new Promise(setImmediate);
  await database.close();
  await running;
  await drop();
});

test('sqlite: a thread that ends by itself answers 503 to what it was asked, every time', async () => {
  const pool = new ScanPool({ path: '/nowhere/at-all.db' });
  const statement = { text: 'select 1', values: [] };
  const asked = Array.from({ length: 5 }, () =>
    assert.rejects(pool.all(statement), { type: 'ServiceUnavailableError' }),
  );
  await Promise.all(asked);
  await pool.close();
  await assert.rejects(pool.all(statement), { type: 'ServiceUnavailableError' });
});
