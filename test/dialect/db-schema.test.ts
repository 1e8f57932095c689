import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeTable } from '../../src/db/describe.ts';
import type { ActualTable, ColumnKind, ColumnSpec, TableSpec } from '../../src/db/dialect.ts';
import { migrateSystemTables } from '../../src/db/migrate.ts';
import { ident, join, sql } from '../../src/db/sql.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { change, freshDatabase, freshDatabases, tableSpec } from '../support/database.ts';

/** Columns and indexes without their order, which a converted column loses. */
function unordered(table: ActualTable | null) {
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  return (
    table && { ...table, columns: table.columns.toSorted(byName), indexes: table.indexes.toSorted(byName) }
  );
}

const kind = fc.constantFrom<ColumnKind>('text', 'integer', 'real', 'date', 'datetime', 'time');
const plainName = fc.stringMatching(/^[a-z_][a-z0-9_]{0,20}$/);
// Fields are plain, but nothing here may depend on that.
const oddName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .filter((name) => !/[\0$]/.test(name) && Buffer.byteLength(name) <= 60);
const columnName = fc
  .oneof(plainName, oddName)
  .map((name) => `c${name}`)
  .filter((name) => name.isWellFormed());
const column: fc.Arbitrary<ColumnSpec> = fc
  .record({
    name: columnName,
    kind,
    number: fc.integer(),
    text: fc.string({ maxLength: 10 }),
    required: fc.boolean(),
  })
  .map(({ name, kind, number, text, required }) => {
    if (!required || (kind !== 'text' && kind !== 'integer' && kind !== 'real')) {
      return { name, kind, notNullDefault: null };
    }
    return { name, kind, notNullDefault: kind === 'text' ? text.replaceAll(/[\0$]/g, '') : number };
  });
const columns = fc.uniqueArray(column, {
  minLength: 1,
  maxLength: 6,
  selector: ({ name }) => name.normalize('NFKD').toLowerCase(),
});

const databases = await freshDatabases();

for (const { engine, database } of databases) {
  let tables = 0;
  const nextName = () => {
    tables += 1;
    return `Table ${tables} "of" ${engine}'s`;
  };

  test(`${engine}: a table is described as it was made, under any names`, async () => {
    await fc.assert(
      fc.asyncProperty(columns, fc.boolean(), async (fields, unique) => {
        const name = nextName();
        const table: TableSpec = {
          name,
          primaryKey: 'name',
          columns: [{ name: 'name', kind: 'text', notNullDefault: null }, ...fields],
          indexes: [
            { name: `_ix_${tables}_a`, columns: fields.slice(0, 3).map((field) => field.name), unique },
            { name: `_ix_${tables}_b`, columns: [fields[0]?.name ?? '', 'name'], unique: false },
          ],
        };
        await change(database, { change: 'create_table', table });
        assert.deepEqual(await describeTable(database.reader, name), table);
      }),
      { numRuns: 40 },
    );
  });

  test(`${engine}: any text survives under any column name`, async () => {
    await fc.assert(
      fc.asyncProperty(
        columnName,
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
        async (field, texts) => {
          const name = nextName();
          const values = texts.map((text) => text.toWellFormed().replaceAll('\0', ''));
          await change(database, { change: 'create_table', table: tableSpec(name, { [field]: 'text' }) });
          await database.transaction(async (connection) => {
            for (const [index, value] of values.entries()) {
              await connection.run(
                sql`insert into ${ident(name)} (${join([ident('name'), ident(field)])}) values (${String(index)}, ${value})`,
              );
            }
          });
          const rows = await database.reader.all(
            sql`select ${ident(field)} from ${ident(name)} order by "name"`,
          );
          assert.deepEqual(
            rows,
            values.map((value) => ({ [field]: value })),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  test(`${engine}: columns and indexes come and go`, async () => {
    const table = tableSpec('Changing', { a: 'text' });
    const index = { name: '_ix_changing', columns: ['a', 'b'], unique: true };
    await change(database, { change: 'create_table', table });
    await database.transaction((db) =>
      db.run(sql`insert into "Changing" ("name", "a") values (${'x'}, ${'y'})`),
    );
    const b: ColumnSpec = { name: 'b', kind: 'integer', notNullDefault: -7 };
    const c: ColumnSpec = { name: 'c', kind: 'datetime', notNullDefault: null };
    await change(
      database,
      { change: 'add_column', table: 'Changing', column: b },
      { change: 'add_column', table: 'Changing', column: c },
      { change: 'create_index', table: 'Changing', index },
    );
    assert.deepEqual(await describeTable(database.reader, 'Changing'), {
      ...table,
      columns: [...table.columns, b, c],
      indexes: [index],
    });
    assert.deepEqual(await database.reader.get(sql`select * from "Changing"`), {
      name: 'x',
      a: 'y',
      b: -7,
      c: null,
    });
    await change(database, { change: 'drop_index', table: 'Changing', index: '_ix_changing' });
    assert.deepEqual((await describeTable(database.reader, 'Changing'))?.indexes, []);
    await change(database, { change: 'drop_table', table: 'Changing' });
    assert.equal(await describeTable(database.reader, 'Changing'), null);
  });

  test(`${engine}: a lossless conversion keeps the values and the indexes`, async () => {
    const from = tableSpec('Converted', {
      i: 'integer',
      j: 'integer',
      r: 'real',
      d: 'date',
      dt: 'datetime',
      ti: 'time',
    });
    const index = { name: '_ix_converted', columns: ['i', 'dt'], unique: false };
    await change(
      database,
      { change: 'create_table', table: from },
      { change: 'create_index', table: 'Converted', index },
    );
    await database.transaction((connection) =>
      connection.run(
        sql`insert into "Converted" values (${'x'}, ${5}, ${-3}, ${2.5}, ${'2026-01-02'}, ${'2026-01-02 03:04:05.000600'}, ${'03:04:05.000000'}), (${'y'}, ${0}, ${0}, ${1e21}, ${null}, ${null}, ${null})`,
      ),
    );
    const kinds: Record<string, ColumnKind> = {
      i: 'text',
      j: 'real',
      r: 'text',
      d: 'text',
      dt: 'text',
      ti: 'text',
    };
    const to = tableSpec('Converted', kinds);
    for (const [place, column] of to.columns.entries()) {
      const old = from.columns[place];
      if (old && column.name !== 'name') {
        await change(database, { change: 'alter_column', table: 'Converted', from: old, to: column });
      }
    }
    assert.deepEqual(
      unordered(await describeTable(database.reader, 'Converted')),
      unordered({ ...to, indexes: [index] }),
    );
    assert.deepEqual(
      await database.reader.all(
        sql`select "name", "i", "j", "r", "d", "dt", "ti" from "Converted" order by "name"`,
      ),
      [
        {
          name: 'x',
          i: '5',
          j: -3,
          r: '2.5',
          d: '2026-01-02',
          dt: '2026-01-02 03:04:05.000600',
          ti: '03:04:05.000000',
        },
        { name: 'y', i: '0', j: 0, r: '1e+21', d: null, dt: null, ti: null },
      ],
    );
  });

  test(`${engine}: a schema change that fails leaves nothing behind`, async () => {
    const table = tableSpec('Half', { a: 'text' });
    await assert.rejects(
      change(database, { change: 'create_table', table }, { change: 'drop_table', table: 'Absent' }),
    );
    assert.equal(await describeTable(database.reader, 'Half'), null);
  });

  test(`${engine}: migrating twice, or twice at once, is migrating once`, async () => {
    const site = await freshDatabase(engine);
    await Promise.all([migrateSystemTables(site, SYSTEM_STEPS), migrateSystemTables(site, SYSTEM_STEPS)]);
    await migrateSystemTables(site, SYSTEM_STEPS);
    const steps = await site.reader.all(sql`select "id", "name" from "_migration" order by "id"`);
    assert.deepEqual(
      steps,
      SYSTEM_STEPS.map(({ name }, index) => ({ id: index + 1, name })),
    );
    assert.deepEqual((await describeTable(site.reader, '_api_key'))?.indexes, [
      { name: '_ix_api_key_user', columns: ['user'], unique: false },
    ]);
  });

  test(`${engine}: a database of a newer version is refused`, async () => {
    const site = await freshDatabase(engine);
    const newer = { name: 'from the future', statements: () => [sql`create table "_future" ("x" int)`] };
    await migrateSystemTables(site, [...SYSTEM_STEPS, newer]);
    await assert.rejects(migrateSystemTables(site, SYSTEM_STEPS), /made by a newer version/);
  });

  test(`${engine}: a failing step leaves the database at the step before, and can be tried again`, async () => {
    const site = await freshDatabase(engine);
    await migrateSystemTables(site, SYSTEM_STEPS.slice(0, 1));
    const broken = {
      name: 'broken',
      statements: () => [sql`create table "_half" ("x" int)`, sql`create nonsense`],
    };
    await assert.rejects(migrateSystemTables(site, [...SYSTEM_STEPS.slice(0, 1), broken]));
    await migrateSystemTables(site, SYSTEM_STEPS);
    assert.equal((await site.reader.all(sql`select 1 from "_migration"`)).length, SYSTEM_STEPS.length);
    assert.equal(await describeTable(site.reader, '_half'), null);
  });
}
