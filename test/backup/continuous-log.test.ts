/** The continuous log of SQLite: every change is in the place shortly after it, whatever the place does. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CopiedFile } from '../../src/backup/engine.ts';
import { chooseState, restoreDatabase } from '../../src/backup/restore.ts';
import { DamagedBackup } from '../../src/backup/store/damaged-backup.ts';
import type { Target } from '../../src/backup/store/target.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { createJournal, lastStep, writeStep } from '../support/journal.ts';
import { openPlace, openShipped, restoreNewest } from '../support/shipped-journal.ts';

const WRITER = fileURLToPath(new URL('../support/shipping-writer.ts', import.meta.url));

async function openFolder(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-ship-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  let restored = 0;
  return {
    path: join(folder, 'site.db'),
    place: join(folder, 'backups'),
    /** The last step of the newest state in the place, or of the one at a moment. */
    async restore(at?: number): Promise<number> {
      restored += 1;
      const to = join(folder, `restored-${restored}.db`);
      await restoreNewest(join(folder, 'backups'), to, at);
      return lastStep(to);
    },
  };
}

/** A directory that can be away. */
function fallibleTarget(place: string) {
  const target = diskTarget(place);
  const state = { isAway: false };
  const fallible: Target = {
    ...target,
    put: (...args) => (state.isAway ? Promise.reject(new Error('the place is away')) : target.put(...args)),
  };
  return { target: fallible, state };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function writeSteps(database: Database, first: number, last: number): Promise<void> {
  for (let n = first; n <= last; n += 1) await database.transaction((connection) => writeStep(connection, n));
}

test('what was committed before a moment is restored at that moment', async (t) => {
  const { path, place, restore } = await openFolder(t);
  const { database, log, close } = await openShipped(path, place);
  await createJournal(database);
  await until(() => log.reached !== null);
  const moments: { at: number; step: number }[] = [];
  for (let step = 40; step <= 200; step += 40) {
    await writeSteps(database, step - 39, step);
    const written = Date.now();
    // Nothing is written until the log is past this moment.
    await until(() => (log.reached ?? 0) > written);
    moments.push({ at: Date.now(), step });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await writeSteps(database, 201, 230);
  await close();
  for (const { at, step } of moments) assert.equal(await restore(at), step);
  assert.equal(await restore(), 230);
});

test('a lost object of the log is an error that says what can be restored', async (t) => {
  const { path, place, restore } = await openFolder(t);
  const { database, log, close } = await openShipped(path, place);
  await createJournal(database);
  await until(() => log.reached !== null);
  for (let step = 1; step <= 4; step += 1) {
    await writeSteps(database, step, step);
    const written = Date.now();
    await until(() => (log.reached ?? 0) > written);
  }
  await close();
  const [epoch = ''] = await readdir(join(place, 'log'));
  const objects = (await readdir(join(place, 'log', epoch))).sort();
  await rm(join(place, 'log', epoch, objects.at(-2) ?? ''));
  let told = '';
  await assert.rejects(restore(), (error) => {
    told = String(error);
    return error instanceof DamagedBackup && told.includes('it is missing');
  });
  const [, moment = ''] = /--at (\S+) restores/.exec(told) ?? [];
  assert.equal(await restore(Date.parse(moment)), 2);
});

test('a copy of the site that wrote to the same place does not hide the site', async (t) => {
  const { path, place } = await openFolder(t);
  const site = await openShipped(path, place);
  await createJournal(site.database);
  await until(() => site.log.reached !== null);
  await writeSteps(site.database, 1, 5);
  const copied = `${path}-copy`;
  await restoreNewest(place, copied);
  const copy = await openShipped(copied, place);
  await until(() => copy.log.reached !== null);
  await copy.close();
  await writeSteps(site.database, 6, 9);
  await site.close();
  const repository = await openPlace(diskTarget(place));
  const { beside, manifest } = await chooseState(repository, { name: null, at: null });
  assert.deepEqual(manifest, (await repository.manifests())[0]);
  assert.match(beside.join(), /^Another server of this site wrote to this place until /);
  assert.equal(await lastStepOf(manifest.name), 9);

  async function lastStepOf(name: string): Promise<number> {
    const to = `${path}-chosen`;
    const chosen = await chooseState(repository, { name, at: Number.MAX_SAFE_INTEGER });
    await restoreDatabase(repository, chosen, `sqlite:${to}`, () => {});
    return lastStep(to);
  }
});

test('a place that is away for a while gets all changes when it is back, and commits do not wait', async (t) => {
  const { path, place, restore } = await openFolder(t);
  const { target, state } = fallibleTarget(place);
  const failures: unknown[] = [];
  const gaps: unknown[] = [];
  const shipped = await openShipped(path, place, {
    target,
    onFailure: (error) => failures.push(error),
    onGap: () => gaps.push(null),
  });
  await createJournal(shipped.database);
  await until(() => shipped.log.reached !== null);
  await writeSteps(shipped.database, 1, 20);
  state.isAway = true;
  await writeSteps(shipped.database, 21, 400);
  await until(() => failures.length > 0);
  state.isAway = false;
  await shipped.close();
  assert.equal(gaps.length, 0);
  assert.equal(await restore(), 400);
  assert.equal((await shipped.repository.names()).length, 1);
});

test('a place that is away for too long gets a new backup when it is back', async (t) => {
  const { path, place, restore } = await openFolder(t);
  const { target, state } = fallibleTarget(place);
  const gaps: unknown[] = [];
  const limits = { waitingBytes: 64 * 1024, behindBytes: 2 * 1024 * 1024 };
  const options = { target, limits, onGap: () => gaps.push(null) };
  const { database, log, repository, close } = await openShipped(path, place, options);
  await createJournal(database);
  await until(() => log.reached !== null);
  state.isAway = true;
  // Some 40 MB of log, of which so much is kept neither in it nor in memory.
  await writeSteps(database, 1, 1_000);
  state.isAway = false;
  await until(() => gaps.length > 0);
  await until(() => log.reached !== null);
  await writeSteps(database, 1_001, 1_010);
  await close();
  assert.equal(await restore(), 1_010);
  const logs = (await repository.manifests()).map(({ database }) => 'log' in database && database.log?.epoch);
  assert.equal(new Set(logs).size, 2);
});

test('a change is in the place only after the files that it brings', async (t) => {
  const { path, place, restore } = await openFolder(t);
  const copied: CopiedFile[] = [];
  let refusals = 0;
  const shipped = await openShipped(path, place, {
    async copyFiles(_repository, files) {
      if (refusals < 3) {
        refusals += 1;
        // The newest state that can be restored has no document of this file.
        assert.equal(await restore(), 1);
        throw new Error('the file cannot be read now');
      }
      copied.push(...files);
    },
  });
  const { database } = shipped;
  await createJournal(database);
  await database.transaction((db) =>
    db.run(
      sql`create table _stored_content (storage_key text primary key, sha256 text, bytes integer, swept_at integer)`,
    ),
  );
  const addFile = (key: string, sweptAt: number | null = null) =>
    database.transaction((db) =>
      db.run(sql`insert into _stored_content values (${key}, ${`sha of ${key}`}, 5, ${sweptAt})`),
    );
  await addFile('old');
  await writeSteps(database, 1, 1);
  await until(() => shipped.log.reached !== null);
  const known = copied.length;
  const written = Date.now();
  await until(() => (shipped.log.reached ?? 0) > written);
  await database.transaction(async (db) => {
    await db.run(sql`insert into _stored_content values ('new', 'sha of new', 5, null)`);
    await writeStep(db, 2);
  });
  await until(() => copied.length > known);
  await addFile('given up', 1);
  // The number of its row is used again.
  await database.transaction((db) => db.run(sql`delete from _stored_content where storage_key = 'given up'`));
  await addFile('newest');
  await shipped.close();
  assert.equal(refusals, 3);
  const keys = copied.slice(known).map(({ storageKey }) => storageKey);
  assert.deepEqual(keys, ['new', 'newest']);
  assert.equal(await restore(), 2);
});

test('a killed server goes on with its log; every state in the place is a committed one', async (t) => {
  const { path, place, restore } = await openFolder(t);
  const repository = await openPlace(diskTarget(place));
  for (let kill = 0; kill < 4; kill += 1) {
    const child = spawn(process.execPath, ['--conditions=source', WRITER, path, place, '20'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    let first = 0;
    let acked = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, number] = line.split(' ');
      if (what === 'next') first = Number(number);
      else acked = Number(number);
    });
    if (kill === 0) {
      while ((await repository.names()).length === 0) await pause();
    }
    await until(() => acked > 0);
    const enough = first + 60 + 40 * kill;
    await until(() => acked > enough);
    while ((await restore()) < enough) await pause();
    await end(child);
    assert.ok((await restore()) >= enough);
  }
  assert.equal((await repository.names()).length, 1, 'all of it is one log');
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
