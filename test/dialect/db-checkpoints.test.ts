/** The write-ahead log of SQLite is copied into the database file beside the commits, and stays bounded. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { DatabaseOptions } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { sql } from '../../src/db/sql.ts';
import { Handle } from '../../src/db/sqlite/handle.ts';
import { ScanPool } from '../../src/db/sqlite/scan-pool.ts';
import type { ServiceError } from '../../src/kernel/errors.ts';
import { change, tableSpec } from '../support/database.ts';
import { freshDatabaseUrl } from '../support/postgres.ts';

const MIB = 1024 * 1024;
const BODY = 'x'.repeat(100_000);

async function openLog(t: TestContext, options: DatabaseOptions = {}) {
  const { url, drop } = await freshDatabaseUrl('sqlite');
  const path = url.slice('sqlite:'.length);
  const database = await openDatabase(url, { checkpointBytes: MIB, ...options });
  t.after(async () => {
    await database.close();
    await drop();
  });
  await change(database, { change: 'create_table', table: tableSpec('Log', { body: 'text' }) });
  let rows = 0;
  return {
    database,
    path,
    logBytes: () => statSync(`${path}-wal`).size,
    /** Commits a row of 100 kB. */
    write: () => {
      rows += 1;
      return database.transaction((db) =>
        db.run(sql`insert into "Log" ("name", "body") values (${`row ${rows}`}, ${BODY})`),
      );
    },
  };
}

test('the log stays bounded, however much is written, and all of it is in the end in the file', async (t) => {
  const { database, path, logBytes, write } = await openLog(t);
  let most = 0;
  for (let row = 0; row < 300; row += 1) {
    await write();
    most = Math.max(most, logBytes());
  }
  // Twice the size at which a checkpoint begins, and some commits.
  assert.ok(most < 3 * MIB, `the log had ${most} bytes`);
  const count = await database.reader.get(sql`select count(*) as "n" from "Log"`);
  assert.equal(count?.['n'], 300);
  assert.ok(statSync(path).size > 26 * MIB);
});

test('a read keeps the log from beginning anew, and its end frees the log', async (t) => {
  const { path, logBytes, write } = await openLog(t);
  const reader = new DatabaseSync(path);
  t.after(() => reader.close());
  reader.exec('begin');
  reader.prepare('select count(*) from "Log"').get();
  for (let row = 0; row < 100; row += 1) await write();
  const grown = logBytes();
  assert.ok(grown > 9 * MIB, `the log has ${grown} bytes`);
  reader.exec('rollback');
  // The file keeps its size: what matters is that later commits go to its beginning.
  for (let row = 0; row < 100; row += 1) await write();
  assert.ok(logBytes() < grown + 3 * MIB, `the log grew from ${grown} to ${logBytes()} bytes`);
});

test('a checkpoint that fails on the disk stops changes, on the thread or between two commits', async (t) => {
  const failed = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 });
  await t.test('between two commits', async (t) => {
    const { write } = await openLog(t);
    const { get } = Handle.prototype;
    t.mock.method(Handle.prototype, 'get', function (this: Handle, statement: { text: string; values: [] }) {
      if (statement.text === 'pragma wal_checkpoint(passive)') throw failed;
      return get.call(this, statement);
    });
    await assert.rejects(writeMany(write), /changes are refused until the server restarts/);
  });
  await t.test('on the thread', async (t) => {
    const failures: unknown[] = [];
    const { write } = await openLog(t, { onFailure: (error) => failures.push(error) });
    t.mock.method(ScanPool.prototype, 'all', () => Promise.reject(failed));
    await assert.rejects(writeMany(write), /changes are refused until the server restarts/);
    assert.equal(failures.length, 1);
  });
});

async function writeMany(write: () => Promise<unknown>): Promise<void> {
  for (let row = 0; row < 100; row += 1) await write();
}

test('a thread without time leaves the log longer, and the next checkpoint catches up', async (t) => {
  const { logBytes, write } = await openLog(t);
  const refused = t.mock.method(ScanPool.prototype, 'all', () => Promise.reject(new Error('busy')));
  await writeMany(write);
  assert.ok(refused.mock.callCount() > 0);
  assert.ok(logBytes() < 3 * MIB, `the log has ${logBytes()} bytes`);
});

test('the end of the database leaves no log', async (t) => {
  const { database, path, write } = await openLog(t);
  for (let row = 0; row < 15; row += 1) await write();
  await database.close();
  assert.throws(() => statSync(`${path}-wal`), { code: 'ENOENT' });
});

test('while a reader keeps a log that is too large, changes are refused; they go on when it has ended', async (t) => {
  const warnings: string[] = [];
  const { database, path, write } = await openLog(t, {
    mostLogBytes: 4 * MIB,
    logWarning: 3.5 * MIB,
    onWarning: (message) => warnings.push(message),
  });
  const reader = new DatabaseSync(path);
  t.after(() => reader.close());
  reader.exec('begin');
  reader.prepare('select count(*) from "Log"').get();
  await assert.rejects(writeMany(write), (error: ServiceError) => {
    assert.equal(error.type, 'InsufficientStorageError');
    assert.match(error.message, /a reader keeps an old state/);
    return true;
  });
  await assert.rejects(write(), /too large/);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /write-ahead log of the database has 3 MB/);
  const kept = await database.reader.get(sql`select count(*) as "n" from "Log"`);
  reader.exec('rollback');
  // The refused change asks for another checkpoint.
  for (;;) {
    const written = await write().then(
      () => true,
      () => false,
    );
    if (written) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal(warnings.length, 1);
  await writeMany(write);
  const count = await database.reader.get(sql`select count(*) as "n" from "Log"`);
  assert.equal(count?.['n'], Number(kept?.['n']) + 101);
});
