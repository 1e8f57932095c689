/** A copy of a running SQLite database is one of its committed states. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sqliteEngine } from '../../src/backup/sqlite/copy.ts';
import { restoreSqlite } from '../../src/backup/sqlite/restore.ts';
import type { SqliteCopy } from '../../src/backup/store/manifest.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { StatePins } from '../../src/db/sqlite/state-pins.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createJournal, lastStep, writeStep } from '../support/journal.ts';

const WRITER = fileURLToPath(new URL('../support/journal-writer.ts', import.meta.url));

async function openPlace(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-copy-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'site.db');
  const place = join(directory, 'backups');
  const repository = await Repository.open(diskTarget(place), { key: null, site: 'site', now: Date.now });
  let restored = 0;
  return {
    path,
    repository,
    async copy() {
      const engine = sqliteEngine({ path, clock: systemClock() });
      const copied = await engine.copy(repository, () => {});
      return { ...copied, copy: copied.copy as SqliteCopy };
    },
    /** Resolves to the last step of the restored journal. */
    async restore({ copy, moment }: { copy: SqliteCopy; moment: number }): Promise<number> {
      restored += 1;
      const to = join(directory, `restored-${restored}.db`);
      await restoreSqlite(repository, { copy, moment, at: null }, to);
      return lastStep(to);
    },
  };
}

/** Another process that writes from this step on. */
function startWriter(t: TestContext, path: string, first: number) {
  const child = spawn(process.execPath, ['--conditions=source', WRITER, `sqlite:${path}`, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const acks = { last: 0 };
  createInterface({ input: child.stdout }).on('line', (line) => {
    const n = Number(/^ack (\d+)$/.exec(line)?.[1] ?? 0);
    acks.last = Math.max(acks.last, n);
  });
  return { child, acks, until: (step: number) => until(child, () => acks.last >= step) };
}

async function until(child: ChildProcess, condition: () => boolean): Promise<void> {
  while (!condition()) {
    assert.equal(child.exitCode, null, 'the writer runs');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

test('copies beside a process that writes, and that is killed, are committed states', async (t) => {
  const { path, copy, restore } = await openPlace(t);
  const database = await openDatabase(`sqlite:${path}`);
  await createJournal(database);
  await database.close();
  let first = 1;
  for (let round = 0; round < 3; round += 1) {
    const writer = startWriter(t, path, first);
    await writer.until(first + 400);
    for (let number = 0; number < 4; number += 1) {
      const before = writer.acks.last;
      const copied = await copy();
      const step = await restore(copied);
      assert.ok(step >= before, `${step} steps were copied, ${before} were there`);
      assert.equal(copied.rows['Journal'], step);
      await writer.until(writer.acks.last + 50);
    }
    const copying = copy();
    await kill(writer.child);
    first = (await restore(await copying)) + 1;
    // The copy may be older than the last acknowledged step.
    const left = await restore(await copy());
    assert.ok(left >= writer.acks.last);
    first = left + 1;
  }
});

test('a copy in the process that writes keeps its locks and its log', async (t) => {
  const { path, copy, restore } = await openPlace(t);
  const database = await openDatabase(`sqlite:${path}`, { checkpointBytes: 64 * 1024 });
  t.after(() => database.close());
  await createJournal(database);
  let n = 0;
  const write = async () => {
    n += 1;
    await database.transaction((connection) => writeStep(connection, n));
  };
  for (let count = 0; count < 50; count += 1) await write();
  let copied = false;
  const copying = copy().finally(() => {
    copied = true;
  });
  while (!copied) await write();
  const step = await restore(await copying);
  assert.ok(step >= 50 && step <= n);
  for (let count = 0; count < 50; count += 1) await write();
  assert.equal(await restore(await copy()), n);
  // Without it, another process would believe that it has the last connection, and delete the log.
  if (existsSync(LOCKS)) assert.equal(locksOn(path), 1);
});

test('a checkpoint that ends while a state is pinned loses no page of it', async (t) => {
  const { path } = await openPlace(t);
  const database = await openDatabase(`sqlite:${path}`, { checkpointBytes: 1e9 });
  t.after(() => database.close());
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  await createJournal(database);
  const write = (n: number) => database.transaction((connection) => writeStep(connection, n));
  await write(1);
  const pins = new StatePins(path);
  t.after(() => pins.close());
  const look = pins.look.bind(pins);
  pins.look = () => {
    const found = look();
    pins.look = look;
    other.exec('pragma wal_checkpoint(passive)');
    return found;
  };
  const { place, copied, end } = pins.pin();
  // The log begins anew: the pinned state is in the file.
  for (let n = 2; n < 40; n += 1) await write(n);
  assert.notEqual(pins.look().place.salts, place.salts);
  assert.deepEqual(await pins.log.changes(place, copied), []);
  end();
});

const LOCKS = '/proc/locks';

function locksOn(path: string): number {
  const { ino } = statSync(path);
  const lines = readFileSync(LOCKS, 'utf8').split('\n');
  return lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
}

test('only parts that changed are stored again, and a state that a reader keeps is copied too', async (t) => {
  const { path, repository, copy, restore } = await openPlace(t);
  const database = await openDatabase(`sqlite:${path}`);
  t.after(() => database.close());
  await createJournal(database);
  const reader = new DatabaseSync(path, { readOnly: true });
  t.after(() => reader.close());
  reader.exec('begin');
  reader.prepare('select count(*) from "Journal"').get();
  for (let n = 1; n <= 300; n += 1) await database.transaction((connection) => writeStep(connection, n));
  const first = await copy();
  assert.equal(await restore(first), 300);
  assert.ok(first.copy.overlay.length > 0, 'the reader keeps the log from being copied into the file');
  const stored = t.mock.method(repository.target, 'put');
  const second = await copy();
  assert.deepEqual(second.copy, first.copy);
  assert.equal(stored.mock.callCount(), 0);
});

test('a database that is whole in its file has no overlay; a failed restore leaves no file', async (t) => {
  const { path, copy, restore, repository } = await openPlace(t);
  const database = await openDatabase(`sqlite:${path}`);
  await createJournal(database);
  await database.transaction((connection) => writeStep(connection, 1));
  await database.close();
  const copied = await copy();
  assert.deepEqual(copied.copy.overlay, []);
  assert.equal(await restore(copied), 1);
  const lost = { ...copied.copy, parts: ['0'.repeat(64)] };
  const to = `${path}-restored`;
  await assert.rejects(restoreSqlite(repository, { copy: lost, moment: 0, at: null }, to), /it is missing/);
  await assert.rejects(rm(to), { code: 'ENOENT' });
});
