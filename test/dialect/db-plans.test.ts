/** SQLite's plans stay the same whenever somebody runs ANALYZE. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Connection, Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { change, tableSpec } from '../support/database.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';

const index = { name: '_ix_small_url', columns: ['url'], unique: false };
const insert = (name: string) => sql`insert into "Small" ("name", "url") values (${name}, ${name})`;

async function planOf(connection: Connection): Promise<string> {
  // A connection notices a changed schema when it reads, and not when it explains.
  await connection.all(sql`select "name" from "Small" where "url" = ${'a'}`);
  const [step] = await connection.all(
    sql`explain query plan select "name" from "Small" where "url" = ${'a'}`,
  );
  return String(step?.['detail']);
}

async function assertSearch(database: Database, when: string): Promise<void> {
  const found = [await planOf(database.reader), await database.transaction(planOf)];
  const search = 'SEARCH Small USING INDEX _ix_small_url (url=?)';
  assert.deepEqual(found, [search, search], when);
}

test('sqlite: a table that was analysed with two rows is searched by its index', async () => {
  const { url, drop } = await freshDatabaseUrl('sqlite');
  const path = url.slice('sqlite:'.length);
  const analyse = () => {
    const other = new DatabaseSync(path);
    other.exec('analyze');
    const [step] = other.prepare(`explain query plan select "name" from "Small" where "url" = 'a'`).all();
    assert.equal(step?.['detail'], 'SCAN Small', 'ANALYZE does no harm here');
    other.close();
  };
  let database = await openDatabase(url);
  await change(
    database,
    { change: 'create_table', table: tableSpec('Small', { url: 'text' }) },
    { change: 'create_index', table: 'Small', index },
  );
  await database.transaction(async (connection) => {
    for (const name of ['a', 'b']) await connection.run(insert(name));
  });
  analyse();
  await assertSearch(database, 'of a running server');
  await change(database, { change: 'create_table', table: tableSpec('Other', {}) });
  await assertSearch(database, 'after a change of the schema');
  analyse();
  await database.close();
  database = await openDatabase(url);
  await assertSearch(database, 'after a start');
  await database.close();
  await drop();
});
