import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ident, sql } from '../../src/db/sql.ts';
import { change, freshDatabases, tableSpec } from '../support/database.ts';

const KINDS = { i: 'integer', r: 'real', t: 'text', d: 'date', dt: 'datetime', ti: 'time' } as const;
const COLUMNS = ['i', 'r', 't', 'd', 'dt', 'ti'] as const;

const databases = await freshDatabases();
for (const { database } of databases) {
  await change(database, { change: 'create_table', table: tableSpec('Thing', KINDS) });
}

for (const { engine, database } of databases) {
  const { dialect } = database;
  const object = dialect.jsonObject(
    COLUMNS.map((key) => ({
      key,
      value: dialect.asText(
        ident(key),
        KINDS[key] === 'real' || KINDS[key] === 'integer' ? 'text' : KINDS[key],
      ),
    })),
  );

  test(`${engine}: rows as JSON in the database are the rows, in the order asked for`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            i: fc.maxSafeInteger(),
            r: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
            t: fc.option(
              fc.string({ unit: 'grapheme' }).map((text) => text.toWellFormed().replaceAll('\0', '')),
            ),
            d: fc.constantFrom(null, '2026-11-21', '0001-01-01'),
            dt: fc.constantFrom(null, '2026-11-21 10:11:12.130000', '9999-12-31 23:59:59.999999'),
            ti: fc.constantFrom(null, '00:00:00.000000', '23:59:59.999999'),
          }),
          { maxLength: 5 },
        ),
        async (rows) => {
          await database.transaction(async (connection) => {
            await connection.run(sql`delete from "Thing"`);
            for (const [index, { i, r, t, d, dt, ti }] of rows.entries()) {
              await connection.run(
                sql`insert into "Thing" ("name", "i", "r", "t", "d", "dt", "ti") values (${`n${index}`}, ${i}, ${r}, ${t}, ${d}, ${dt}, ${ti})`,
              );
            }
          });
          const json = dialect.jsonArray(sql`select ${object} as "json" from "Thing" order by "name" desc`);
          const answer = await database.reader.get(sql`select ${json} as "json"`);
          assert.deepEqual(
            JSON.parse(String(answer?.['json'])),
            rows.toReversed().map((row) => ({ ...row })),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test(`${engine}: an object may nest an array, have odd keys and any number of them`, async () => {
    const many = Array.from({ length: 1_203 }, (_, index) => ({ key: `k${index}`, value: sql`${'v'}` }));
    const text = (value: string) => (engine === 'postgres' ? sql`cast(${value} as text)` : sql`${value}`);
    const pairs = [
      ...many.map(({ key }) => ({ key, value: text(key.toUpperCase()) })),
      { key: `odd 'key" \\ ü`, value: sql`1` },
      { key: 'rows', value: dialect.jsonArray(sql`select '{"a":{"b":1}}' as "json"`), json: true },
      { key: 'none', value: dialect.jsonArray(sql`select '1' as "json" where 1 = 0`), json: true },
    ];
    const answer = await database.reader.get(sql`select ${dialect.jsonObject(pairs)} as "json"`);
    assert.deepEqual(JSON.parse(String(answer?.['json'])), {
      ...Object.fromEntries(many.map(({ key }) => [key, key.toUpperCase()])),
      [`odd 'key" \\ ü`]: 1,
      rows: [{ a: { b: 1 } }],
      none: [],
    });
    const empty = await database.reader.get(sql`select ${dialect.jsonObject([])} as "json"`);
    assert.deepEqual(empty, { json: '{}' });
  });

  test(`${engine}: numbers have one text form, timestamps can be cut to seconds`, async () => {
    const numbers = [
      0,
      1,
      -1.5,
      1e14,
      1e15,
      123456789012345680,
      1e21,
      1e-4,
      1e-5,
      1.25e-7,
      5e-324,
      0.1 + 0.2,
    ];
    const wanted = [
      ...['0', '1', '-1.5', '100000000000000', '1e+15', '1.2345678901234568e+17', '1e+21'],
      ...['0.0001', '1e-05', '1.25e-07', '5e-324', '0.30000000000000004'],
    ];
    await database.transaction(async (connection) => {
      await connection.run(sql`delete from "Thing"`);
      for (const [index, r] of numbers.entries()) {
        await connection.run(
          sql`insert into "Thing" ("name", "i", "r", "dt") values (${`n${index + 10}`}, ${index}, ${r}, ${'2026-11-21 10:11:12.999999'})`,
        );
      }
    });
    const rows = await database.reader.all(
      sql`select ${dialect.asText(ident('r'), 'real')} as r, ${dialect.asText(ident('i'), 'integer')} as i, ${dialect.wholeSeconds(ident('dt'))} as dt from "Thing" order by "name"`,
    );
    assert.deepEqual(
      rows,
      wanted.map((r, index) => ({ r, i: String(index), dt: '2026-11-21 10:11:12' })),
    );
  });

  test(`${engine}: nulls come first ascending and last descending, text by code point`, async () => {
    const texts = ['b', null, 'B', 'ä', '\u{1F600}', '\uFFFD', ''];
    await database.transaction(async (connection) => {
      await connection.run(sql`delete from "Thing"`);
      for (const [index, t] of texts.entries()) {
        await connection.run(sql`insert into "Thing" ("name", "t") values (${`n${index}`}, ${t})`);
      }
    });
    const sorted = [null, '', 'B', 'b', 'ä', '\uFFFD', '\u{1F600}'];
    const order = async (direction: 'asc' | 'desc') => {
      const by = dialect.orderBy(ident('t'), direction, true);
      return (await database.reader.all(sql`select "t" from "Thing" order by ${by}`)).map((row) => row['t']);
    };
    assert.deepEqual(await order('asc'), sorted);
    assert.deepEqual(await order('desc'), sorted.toReversed());
  });
}
