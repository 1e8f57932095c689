import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UniqueViolation } from '../../src/db/driver-errors.ts';
import { sql } from '../../src/db/sql.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { change, freshDatabase, freshDatabases, tableSpec } from '../support/database.ts';

const KINDS = { i: 'integer', r: 'real', t: 'text', d: 'date', dt: 'datetime', ti: 'time' } as const;

const databases = await freshDatabases();
for (const { database } of databases) {
  await change(
    database,
    { change: 'create_table', table: tableSpec('Thing', KINDS) },
    { change: 'create_index', table: 'Thing', index: { name: '_ix_thing_t', columns: ['t'], unique: true } },
    { change: 'create_table', table: tableSpec('Log', { n: 'integer' }) },
  );
}

for (const { engine, database } of databases) {
  const insert = (name: string, n = 0) => sql`insert into "Log" ("name", "n") values (${name}, ${n})`;
  const names = async (prefix: string) => {
    const rows = await database.reader.all(
      sql`select "name" from "Log" where "name" like ${`${prefix}%`} order by "name"`,
    );
    return rows.map((row) => row['name']);
  };

  test(`${engine}: every kind comes back as it went in, extremes included`, async () => {
    const rows = [
      {
        name: 'large',
        i: Number.MAX_SAFE_INTEGER,
        r: Number.MAX_VALUE,
        t: 'ümlaut \u{1F600} "quoted" \\ \n \u2028',
        d: '9999-12-31',
        dt: '9999-12-31 23:59:59.999999',
        ti: '23:59:59.999999',
      },
      {
        name: 'small',
        i: Number.MIN_SAFE_INTEGER,
        r: Number.MIN_VALUE,
        t: '',
        d: '0001-01-01',
        dt: '0001-01-01 00:00:00.000001',
        ti: '00:00:00.000000',
      },
      {
        name: 'trailing zeros',
        i: 2 ** 31,
        r: 0.1 + 0.2,
        t: ' padded ',
        d: '2026-11-21',
        dt: '2026-11-21 10:20:30.120000',
        ti: '10:20:30.500000',
      },
      { name: 'unset', i: 0, r: -1e-7, t: null, d: null, dt: null, ti: null },
    ];
    await database.transaction(async (connection) => {
      for (const { name, i, r, t, d, dt, ti } of rows) {
        const changed = await connection.run(
          sql`insert into "Thing" ("name", "i", "r", "t", "d", "dt", "ti") values (${name}, ${i}, ${r}, ${t}, ${d}, ${dt}, ${ti})`,
        );
        assert.equal(changed, 1);
      }
    });
    assert.deepEqual(await database.reader.all(sql`select * from "Thing" order by "name"`), rows);
    for (const row of rows) {
      assert.deepEqual(await database.reader.get(sql`select * from "Thing" where "i" = ${row.i}`), row);
      assert.deepEqual(await database.reader.get(sql`select * from "Thing" where "r" = ${row.r}`), row);
    }
    assert.equal(await database.reader.get(sql`select 1 from "Thing" where "name" = ${'absent'}`), undefined);
    assert.deepEqual(await database.reader.get(sql`select count(*) as n from "Thing"`), { n: 4 });
  });

  test(`${engine}: of many units at once exactly the failing ones are absent`, async () => {
    await database.transaction((connection) => connection.run(insert('taken')));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, (_, index) =>
        database.transaction(async (connection) => {
          await connection.run(insert(`many-${index}`));
          await connection.run(insert(`many-${index}-child`));
          if (index % 7 === 0) await new Promise(setImmediate);
          if (index % 10 === 3) throw new Error('refused');
          // A name that is there: the statement fails and takes its unit with it.
          if (index % 10 === 6) await connection.run(insert('taken'));
          return index;
        }),
      ),
    );
    const kept = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [index] : []));
    const expected = Array.from({ length: 300 }, (_, index) => index).filter(
      (index) => index % 10 !== 3 && index % 10 !== 6,
    );
    assert.deepEqual(kept, expected);
    const wanted = expected.flatMap((index) => [`many-${index}`, `many-${index}-child`]).sort();
    assert.deepEqual(await names('many-'), wanted);
  });

  test(`${engine}: a caught statement error does not save the transaction`, async () => {
    const outcome = database.transaction(async (connection) => {
      await connection.run(insert('doomed'));
      await connection.run(insert('doomed')).catch(() => 0);
      await connection.run(insert('doomed-2')).catch(() => 0);
    });
    await assert.rejects(outcome, { type: 'DuplicateEntryError' });
    assert.deepEqual(await names('doomed'), []);
  });

  test(`${engine}: the reader sees committed data only`, async () => {
    let inside: readonly unknown[] = ['not looked'];
    await database.transaction(async (connection) => {
      await connection.run(insert('hidden'));
      inside = await names('hidden');
      assert.equal(
        (await connection.all(sql`select 1 as x from "Log" where "name" = ${'hidden'}`)).length,
        1,
      );
    });
    assert.deepEqual(inside, []);
    assert.deepEqual(await names('hidden'), ['hidden']);
  });

  test(`${engine}: a taken key and a taken unique value are told apart and name their column`, async () => {
    await database.transaction((connection) =>
      connection.run(sql`insert into "Thing" ("name", "t") values (${'unique'}, ${'taken'})`),
    );
    const attempt = (name: string, t: string) =>
      database
        .transaction((connection) =>
          connection.run(sql`insert into "Thing" ("name", "t") values (${name}, ${t})`),
        )
        .then(
          () => assert.fail('was accepted'),
          (error: unknown) => error,
        );
    const key = await attempt('unique', 'other');
    assert.ok(key instanceof UniqueViolation);
    assert.deepEqual([key.type, key.table, key.column], ['DuplicateEntryError', 'Thing', 'name']);
    const value = await attempt('other', 'taken');
    assert.ok(value instanceof UniqueViolation);
    assert.deepEqual([value.type, value.table, value.column], ['UniqueValidationError', 'Thing', 't']);
  });

  test(`${engine}: text where a number belongs is the caller's mistake`, async () => {
    const outcome = database.transaction((connection) =>
      connection.run(sql`insert into "Log" ("name", "n") values (${'typed'}, ${'abc'})`),
    );
    await assert.rejects(outcome, { type: 'DataError' });
  });

  test(`${engine}: a transaction past its deadline is undone, its connection is dead, others go on`, async () => {
    const impatient = await freshDatabase(engine, { transactionTimeout: 1_500 });
    await change(impatient, { change: 'create_table', table: tableSpec('Log', { n: 'integer' }) });
    const undone = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const slow = impatient.transaction(async (connection) => {
      await connection.run(insert('slow'));
      await undone.promise;
      await connection.run(insert('slow-2')).catch((error: unknown) => late.resolve(error));
    });
    const quick = impatient.transaction((connection) => connection.run(insert('quick')));
    await assert.rejects(slow, (error) => error instanceof ServiceError && error.status === 503);
    undone.resolve();
    await quick;
    assert.match(String(await late.promise), /this transaction has ended/);
    assert.deepEqual(await impatient.reader.all(sql`select "name" from "Log"`), [{ name: 'quick' }]);
  });

  test(`${engine}: after close nothing is accepted and closing twice is harmless`, async () => {
    const closing = await freshDatabase(engine);
    const pending = closing.transaction((connection) => connection.get(sql`select 1 as x`));
    const closed = closing.close();
    assert.deepEqual(await pending, { x: 1 });
    await closed;
    await closing.close();
    await assert.rejects(
      closing.transaction(async () => 1),
      { type: 'ServiceUnavailableError' },
    );
  });
}
