/** A database that needs newer code than a running node has: the node fences itself. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MigrationStep, migrateSystemTables } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { ident, sql } from '../../src/db/sql.ts';
import { SYSTEM_STEPS } from '../../src/site/system-tables.ts';
import { ENGINES, freshDatabaseUrl } from '../support/postgres.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

const KNOWN = SYSTEM_STEPS.length;

function step(name: string, needs?: number): MigrationStep {
  const statements = () => [sql`create table ${ident(`_${name}`)} ("id" int)`];
  return { name, statements, ...(needs !== undefined && { needs }) };
}

describe('a node that is too old for its database', () => {
  let site: TestSite;
  before(async () => {
    site = await startTestSite('postgres', { worker: true });
  });
  after(() => site.stop());

  const readiness = async () => (await site.request('GET', '/ready')).status;
  const workers = async () =>
    Number((await site.site.database.reader.get(sql`select count(*) as n from "_webhook_node"`))?.['n']);

  test('a newer step that only adds changes nothing', async () => {
    await until(async () => (await workers()) === 1);
    await migrateSystemTables(site.site.database, [...SYSTEM_STEPS, step('added')]);
    assert.equal(await readiness(), 200);
    assert.equal(
      (await site.request('POST', '/api/resource/Role', { body: { role_name: 'A' } })).status,
      200,
    );
  });

  test('a step that needs newer code ends its deliveries, its readiness, and in the end its changes', async () => {
    const steps = [...SYSTEM_STEPS, step('added'), step('changed', KNOWN + 2)];
    await migrateSystemTables(site.site.database, steps);
    await until(readiness, (status) => status === 503);
    await until(workers, (count) => count === 0);
    const health = await site.request('GET', '/health');
    assert.deepEqual(
      [health.status, health.body],
      [200, { status: 'degraded', problems: ['The database needs a newer version of this server'] }],
    );
    const refused = await until(
      () => site.request('POST', '/api/resource/Role', { body: { role_name: 'B' } }),
      ({ status }) => status !== 200 && status !== 409,
    );
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
    assert.equal(refused.body.exc_type, 'ServiceUnavailableError');
    assert.equal((await site.request('GET', '/api/resource/Role/A')).status, 200);
    assert.equal((await site.request('GET', '/api/resource/Role')).status, 200);
  });
});

test('older nodes are told before a step that they are too old for', async () => {
  const { url, drop } = await freshDatabaseUrl('postgres');
  const database = await openDatabase(url);
  const seen: unknown[] = [];
  const fence = async () => {
    const row = await database.reader.get(
      sql`select max("id") as "done", max("needs") as "needs" from "_migration"`,
    );
    seen.push([row?.['done'], row?.['needs']]);
  };
  try {
    await migrateSystemTables(database, [step('one', 1)], fence);
    assert.deepEqual(seen, [], 'nobody runs on an empty database');
    await migrateSystemTables(database, [step('one', 1), step('two')], fence);
    assert.deepEqual(seen, [], 'every node may go on');
    const three = [step('one', 1), step('two'), step('three', 2)];
    await migrateSystemTables(database, three, fence);
    assert.deepEqual(seen, [[2, 2]], 'told while the tables are as before');
    await migrateSystemTables(database, three, fence);
    assert.equal(seen.length, 1);
    // A start of code that knows less than the database needs.
    await database.transaction((db) => db.run(sql`delete from "_migration" where "id" = 3`));
    await database.transaction((db) => db.run(sql`update "_migration" set "needs" = 3 where "id" = 2`));
    await assert.rejects(
      migrateSystemTables(database, [step('one', 1), step('two')]),
      /made by a newer version/,
    );
  } finally {
    await database.close();
    await drop();
  }
});

for (const engine of ENGINES) {
  test(`tables of a version that recorded no needs are migrated on ${engine}`, async () => {
    const { url, drop } = await freshDatabaseUrl(engine);
    const database = await openDatabase(url);
    await migrateSystemTables(database, [step('one')]);
    await database.transaction((db) => db.run(sql`alter table "_migration" drop column "needs"`));
    await migrateSystemTables(database, [step('one'), step('two', 2)]);
    const rows = await database.reader.all(sql`select "id", "needs" from "_migration" order by "id"`);
    assert.deepEqual(rows, [
      { id: 1, needs: null },
      { id: 2, needs: 2 },
    ]);
    await database.close();
    await drop();
  });
}
