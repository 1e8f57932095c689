/** A damaged write-ahead log: what a start can see of it, and what it must not mistake for damage. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { findDamagedLog } from '../../src/db/sqlite/damaged-log.ts';
import { examineSite } from '../../src/site/doctor/doctor.ts';
import { openSite } from '../../src/site/start/open-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-log-'));
after(() => rmSync(folder, { recursive: true }));
const HEADER = 32;
const FRAME = 24 + 4096;
const COMMITS = 8;

/** A database with a log of some commits, as a killed process leaves it. */
function killed(name: string): string {
  const place = join(folder, `${name}.db`);
  const database = new DatabaseSync(join(folder, `${name}-live.db`));
  database.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table t (n, text);
    pragma wal_checkpoint(truncate)`);
  for (let n = 1; n <= COMMITS; n += 1)
    database.exec(`begin; insert into t values (${n}, '${String(n).repeat(9_000)}'); commit`);
  copy(join(folder, `${name}-live.db`), place);
  database.close();
  return place;
}

function copy(from: string, to: string): void {
  for (const end of ['', '-wal']) copyFileSync(from + end, to + end);
}

function changed(path: string, change: (log: Buffer) => Buffer): string {
  writeFileSync(`${path}-wal`, change(readFileSync(`${path}-wal`)));
  return path;
}

function flipped(at: number) {
  return (log: Buffer) => {
    log[at] = (log[at] ?? 0) ^ 1;
    return log;
  };
}

function rowsOf(path: string): number {
  const database = new DatabaseSync(path);
  try {
    return Number(database.prepare('select count(*) as count from t').get()?.['count']);
  } finally {
    database.close();
  }
}

const frames = (readFileSync(`${killed('frames')}-wal`).length - HEADER) / FRAME;

test('a flipped byte before the last commits is found, wherever it is, and only what is lost is cut', () => {
  const places: Readonly<Record<string, number>> = {
    'in the first page': HEADER + 500,
    'in the header of the first frame': HEADER + 4,
    'in a checksum': HEADER + FRAME + 16,
    'in a salt': HEADER + FRAME + 9,
    'in the middle': HEADER + Math.floor(frames / 2) * FRAME + 100,
  };
  for (const [name, at] of Object.entries(places)) {
    const path = changed(killed(name), flipped(at));
    const found = findDamagedLog(path);
    assert.ok(found, name);
    assert.equal(found.soundBytes, HEADER + Math.floor((at - HEADER) / FRAME) * FRAME, name);
    assert.ok(found.commits >= 1 && found.commits < COMMITS, name);
    const cut = join(folder, 'cut.db');
    copy(path, cut);
    truncateSync(`${cut}-wal`, found.soundBytes);
    assert.equal(findDamagedLog(cut), null);
    assert.equal(rowsOf(cut), rowsOf(path), name);
  }
});

test('what a power failure or a kill leaves is no damage', () => {
  const harmless: Readonly<Record<string, (log: Buffer) => Buffer>> = {
    'the log as it is': (log) => log,
    'a torn last frame': (log) => log.subarray(0, -100),
    'a last frame that was not written': flipped(HEADER + (frames - 1) * FRAME + 200),
    'a hole in the last transaction': flipped(HEADER + (frames - 2) * FRAME + 200),
    'no log': () => Buffer.alloc(0),
    'a log without frames': (log) => log.subarray(0, HEADER),
    'a log that began anew before its first sync': flipped(20),
  };
  for (const [name, change] of Object.entries(harmless))
    assert.equal(findDamagedLog(changed(killed(name), change)), null, name);
});

test('frames of an earlier log and of a transaction that was undone are no damage', () => {
  const path = join(folder, 'restarted.db');
  const database = new DatabaseSync(path);
  const check = (name: string) => assert.equal(findDamagedLog(path), null, name);
  database.exec(
    'pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma cache_size = 1; create table t (n, text)',
  );
  for (let n = 1; n <= COMMITS; n += 1) database.exec(`insert into t values (${n}, zeroblob(9000))`);
  database.exec('pragma wal_checkpoint(restart); insert into t values (0, zeroblob(100))');
  check('a log that began anew');
  database.exec('begin; insert into t select 1, randomblob(9000) from t a, t b; rollback');
  check('an undone transaction');
  database.exec('insert into t values (0, zeroblob(100)); insert into t values (0, zeroblob(100))');
  check('commits over it');
  database.close();
});

test('a server and doctor refuse a damaged log, and say how to go on', async () => {
  const data = join(folder, 'site');
  const live = { ...DEFAULT_CONFIG, port: 0, data: join(folder, 'live'), adminPassword: 'admin-password' };
  const site = await openSite(live, { apps: [] });
  mkdirSync(data, { mode: 0o700 });
  copy(join(live.data, 'chancery.db'), join(data, 'chancery.db'));
  await site.close();
  copyFileSync(join(live.data, 'secret.key'), join(data, 'secret.key'));
  const config = { ...live, data };
  const path = changed(join(data, 'chancery.db'), flipped(HEADER + FRAME + 100));
  const words = new RegExp(`^The log ${path}-wal is damaged.*truncate -s ${HEADER + FRAME} ${path}-wal$`);
  await assert.rejects(openSite(config, { apps: [] }), { message: words });
  await assert.rejects(examineSite(config, []), { message: words });
  assert.ok(readFileSync(`${path}-wal`).length > 0);
});
