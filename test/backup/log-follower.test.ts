/** The follower of SQLite's log hands on every change, whatever is committed, checkpointed and read meanwhile. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { sqliteEngine } from '../../src/backup/sqlite/copy.ts';
import { restoreSqlite } from '../../src/backup/sqlite/restore.ts';
import { encodeSegment } from '../../src/backup/sqlite/segment.ts';
import type { SqliteCopy } from '../../src/backup/store/manifest.ts';
import type { Database, DatabaseOptions } from '../../src/db/database.ts';
import { LogGone, type LogPiece, type ReadState } from '../../src/db/followed-log.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createJournal, lastStep, writeStep } from '../support/journal.ts';

const KIB = 1024;

/** A database that is followed into memory, and restored from there. */
class Followed {
  readonly #directory: string;
  readonly database: Database;
  readonly path: string;
  readonly #parts: Buffer[] = [];
  #log: { sequence: number; bytes: Buffer }[] = [];
  #copy: SqliteCopy | null = null;
  #now = 0;
  #restored = 0;
  readonly #steps = new Map<number, number>();
  /** The step at the end of each change, by its moment. */
  readonly moments: { moment: number; step: number }[] = [];
  step = 0;

  private constructor(directory: string, database: Database, path: string) {
    this.#directory = directory;
    this.database = database;
    this.path = path;
  }

  static async open(t: TestContext | null, options: DatabaseOptions = {}, behindBytes = 1e9) {
    const directory = await mkdtemp(join(tmpdir(), 'chancery-log-'));
    const path = join(directory, 'site.db');
    const clock: { now: () => number } = { now: () => 0 };
    const database = await openDatabase(`sqlite:${path}`, {
      checkpointBytes: 96 * KIB,
      followLog: { now: () => clock.now(), pieceBytes: 24 * KIB, waitingBytes: 512 * KIB, behindBytes },
      ...options,
    });
    const followed = new Followed(directory, database, path);
    clock.now = () => {
      followed.#now += 1;
      return followed.#now;
    };
    t?.after(() => followed.close());
    await createJournal(database);
    await followed.base();
    return followed;
  }

  get log() {
    const { followedLog } = this.database;
    assert.ok(followedLog);
    return followedLog;
  }

  /** A copy from which the log leads on. */
  async base(): Promise<void> {
    this.#log = [];
    this.moments.length = 0;
    const engine = sqliteEngine({
      path: this.path,
      clock: { micros: () => this.#now * 1000 },
      pin: async (open) => {
        const state = await open();
        await this.log.begin(state.facts.place, 0, (read) => this.#noteEnd(read));
        return { state, log: { epoch: 'e', after: 0 } };
      },
    });
    const { copy } = await engine.copy(
      { putPart: async (part: Buffer) => this.#put(part) } as never,
      () => {},
    );
    this.#copy = copy as SqliteCopy;
  }

  /** A copy at the end of a change, in the midst of the log. */
  async cut(): Promise<void> {
    const engine = sqliteEngine({
      path: this.path,
      clock: { micros: () => this.#now * 1000 },
      pin: async (open) => {
        let state: Awaited<ReturnType<typeof open>> | undefined;
        const after = await this.log.cut(async () => {
          state = await open();
          return state.facts;
        });
        assert.ok(state);
        return { state, log: { epoch: 'e', after } };
      },
    });
    const { copy } = await engine.copy(
      { putPart: async (part: Buffer) => this.#put(part) } as never,
      () => {},
    );
    this.#copy = copy as SqliteCopy;
    await this.take();
    this.moments.length = 0;
  }

  async write(steps: number): Promise<void> {
    for (let count = 0; count < steps; count += 1) {
      const n = this.step + 1;
      await this.database.transaction((connection) => writeStep(connection, n));
      this.step = n;
    }
  }

  /** One commit of many pages. */
  async writeMany(steps: number): Promise<void> {
    await this.database.transaction(async (connection) => {
      for (let count = 1; count <= steps; count += 1) await writeStep(connection, this.step + count);
    });
    this.step += steps;
  }

  /** Another connection commits and checkpoints, as a program outside may. */
  async elsewhere(work: (db: DatabaseSync) => void): Promise<void> {
    const db = new DatabaseSync(this.path, { timeout: 1_000 });
    try {
      work(db);
    } finally {
      db.close();
    }
  }

  /** Hands on all pieces up to now. */
  async take(): Promise<void> {
    for (;;) {
      const piece = await this.log.next();
      if (!piece) return;
      this.#keep(piece);
    }
  }

  async takeOne(): Promise<void> {
    const piece = await this.log.next();
    if (piece) this.#keep(piece);
  }

  /** The last step of the journal as it is restored at a moment. */
  async restore(at: number): Promise<number> {
    assert.ok(this.#copy);
    this.#restored += 1;
    const to = join(this.#directory, `restored-${this.#restored}.db`);
    const log = this.#log;
    const source = {
      getPart: async (id: string) => this.#parts[Number(id)] as Buffer,
      async *logs(_epoch: string, after: number) {
        for (const { sequence, bytes } of log) {
          if (sequence > after) yield { sequence, read: async () => bytes };
        }
      },
    };
    await restoreSqlite(source, { copy: this.#copy, moment: 0, at }, to);
    const step = await lastStep(to);
    await rm(to);
    return step;
  }

  async close(): Promise<void> {
    await this.database.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #put(part: Buffer): string {
    this.#parts.push(Buffer.from(part));
    return String(this.#parts.length - 1);
  }

  /** The moment of a change is taken shortly before its end is read. */
  #noteEnd(read: ReadState): void {
    const [row] = read({ text: 'select max("n") as n from "Journal"', values: [] });
    this.#steps.set(this.#now, Number(row?.['n'] ?? 0));
  }

  #keep({ sequence, changed, ...head }: LogPiece): void {
    const step = this.#steps.get(head.moment);
    assert.ok(step !== undefined);
    if (head.piece === head.pieces - 1) this.moments.push({ moment: head.moment, step });
    this.#log.push({ sequence, bytes: encodeSegment({ format: 1, ...head, file: null }, changed) });
  }
}

type Act = (followed: Followed) => Promise<void>;

const ACTS: Readonly<Record<string, Act>> = {
  write: (followed) => followed.write(3),
  'write much': (followed) => followed.write(60),
  'one large commit': (followed) => followed.writeMany(400),
  take: (followed) => followed.take(),
  'take one piece': (followed) => followed.takeOne(),
  'copy in the midst': (followed) => followed.cut(),
  'outside commit': (followed) =>
    followed.elsewhere((db) =>
      db.exec(`create table if not exists "Outside" (x); insert into "Outside" values (1)`),
    ),
  'outside checkpoint': (followed) =>
    followed.elsewhere((db) => db.exec('pragma busy_timeout = 0; pragma wal_checkpoint(passive)')),
  'outside truncation': (followed) =>
    followed.elsewhere((db) => db.exec('pragma busy_timeout = 0; pragma wal_checkpoint(truncate)')),
  'outside reader': (followed) =>
    followed.elsewhere((db) => {
      db.exec('begin; select count(*) from "Journal"; rollback');
    }),
  vacuum: async (followed) => followed.elsewhere((db) => db.exec('vacuum')),
};

test('every moment that was handed on restores the state of that moment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...Object.keys(ACTS)), { minLength: 1, maxLength: 25 }),
      async (acts) => {
        const followed = await Followed.open(null);
        try {
          for (const act of acts) await ACTS[act]?.(followed);
          await followed.take();
          for (const { moment, step } of followed.moments) {
            assert.equal(await followed.restore(moment), step, `at ${moment}`);
          }
          assert.equal(await followed.restore(Number.POSITIVE_INFINITY), followed.step);
        } finally {
          await followed.close();
        }
      },
    ),
    { numRuns: 8 },
  );
});

test('changes are handed on while others are committed, and the log still begins anew', async (t) => {
  const followed = await Followed.open(t);
  let done = false;
  const writing = followed.write(1_500).finally(() => {
    done = true;
  });
  while (!done) {
    await followed.takeOne();
    await new Promise(setImmediate);
  }
  await writing;
  await followed.take();
  assert.equal(await followed.restore(Number.POSITIVE_INFINITY), 1_500);
  const { size } = await stat(`${followed.path}-wal`);
  assert.ok(size < 4 * 1024 * KIB, `the log has ${size} bytes`);
});

test('a large commit that begins the log anew is handed on as a whole', async (t) => {
  const followed = await Followed.open(t);
  for (let round = 0; round < 6; round += 1) {
    await followed.write(20 + round);
    await followed.writeMany(300);
    await followed.take();
  }
  for (const { moment, step } of followed.moments) assert.equal(await followed.restore(moment), step);
});

test('the log waits for a slow follower only up to its limit, and the follower begins again', async (t) => {
  const followed = await Followed.open(t, {}, 300 * KIB);
  await followed.write(40);
  await followed.takeOne();
  await followed.write(400);
  await assert.rejects(followed.take(), LogGone);
  await followed.base();
  await followed.write(10);
  await followed.take();
  assert.equal(await followed.restore(Number.POSITIVE_INFINITY), 450);
});
