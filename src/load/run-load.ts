import { timestamp } from '../document/context.ts';
import type { Site } from '../document/contract.ts';
import { nowMillis } from '../kernel/clock.ts';
import { isRefusal, ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { waited } from '../kernel/wait.ts';
import type { Applier, LoadOfApplier, LoadOutcome } from './applier.ts';
import { batchesOf, type SourceBatch } from './batches.ts';
import { Claim } from './claim.ts';
import {
  type DataLoad,
  type LoadCounts,
  type LoadMode,
  type LoadStatus,
  readLoad,
  total,
  writeLoad,
} from './data-load.ts';
import { countEntries, entryKey, knownKeys } from './ledger.ts';
import { clearProblems, type LoadProblem, ProblemLog } from './problems.ts';
import type { KeyedRecord, LoadSource } from './record.ts';

/** How far a load is. */
export interface LoadStand extends LoadCounts {
  /** Records that are applied, skipped or failed. */
  readonly done: number;
  /** Null when unknown. */
  readonly total: number | null;
  /** Records per second of this run. */
  readonly rate: number;
  /** Seconds; null when unknown. */
  readonly remaining: number | null;
}

export interface LoadRun {
  readonly site: Site;
  /** The name of the `Data Load`. */
  readonly load: string;
  readonly source: LoadSource;
  /** Makes the applier. */
  readonly applier: (of: LoadOfApplier) => Applier;
  /** Names this run, if it has claimed the load already. */
  readonly runner?: string;
  /** Ends the run after the batch at hand; the load stays `Running`, and another run goes on. */
  readonly signal?: AbortSignal;
  /** True: when records have failed, the load ends as `Undoing`, for an undo to go on with it. */
  readonly isAllOrNone?: boolean;
  /** Called after each batch. */
  readonly onProgress?: (stand: LoadStand) => void;
}

/** Milliseconds between two writes of the progress. A pause takes effect within this time. */
const BEAT = 1_000;

/** Milliseconds before the second attempt at a batch; later ones wait longer. */
const PAUSE = 1_000;

/** Statuses in which a run may take a load over. */
const RUNNABLE: readonly LoadStatus[] = ['Draft', 'Checked', 'Running', 'Paused', 'Failed'];

/**
 * Runs a load from where it is to its end, or until it is paused: reads the source from the start, skips what the
 * ledger knows with the same content, and applies the rest. After a kill, the next run goes on; nothing is stored
 * twice. A run takes a load over from one that still works on it, which ends without storing more. Resolves to the load
 * as it is then.
 * @throws ServiceError when it cannot go on; the load is `Failed`, and can be run again
 */
export async function runLoad(run: LoadRun): Promise<DataLoad> {
  const { site, load } = run;
  const claim = new Claim(site, load, 'Running', run.runner);
  await claim.during(async () => {
    const work = await begin(run, claim);
    if (await applyAll(work)) await finish(work);
    else await claim.leave();
  });
  const { status } = await readLoad(site.database.reader, load);
  if (status === 'Paused') await countPaused(run);
  return readLoad(site.database.reader, load);
}

/** A pause ends a run before it has written what it stored last. */
function countPaused({ site, load }: LoadRun): Promise<boolean> {
  return site.database.transaction(async (db) => {
    const stored = storedCounts(await countEntries(db, load));
    const { counts } = await readLoad(db, load);
    const done = total({ ...stored, failed: counts.failed });
    return writeLoad(site, db, load, { ...stored, done }, ['Paused']);
  });
}

interface Work extends LoadRun {
  readonly appliers: Applier;
  readonly log: ProblemLog;
  readonly tally: { -readonly [K in keyof LoadCounts]: number };
  /** An earlier run has left entries. */
  readonly isResumed: boolean;
  readonly began: number;
  readonly claim: Claim;
  readonly mode: LoadMode;
  /** Records that this run has looked at. */
  seen: number;
  beat: number;
}

async function begin(run: LoadRun, claim: Claim): Promise<Work> {
  const { site, load, source } = run;
  return site.database.transaction(async (db) => {
    const { mode, started } = await readLoad(db, load);
    const first = {
      error: null,
      finished: null,
      total: source.total ?? 0,
      started: started ?? timestamp(site),
    };
    if (!(await claim.take(db, RUNNABLE, first))) {
      // Another run may have ended it while this one waited.
      const { status } = await readLoad(db, load);
      throw new ServiceError('ValidationError', `Data Load ${load} is ${status}: it cannot be run`);
    }
    // Records that failed are tried again.
    await clearProblems(db, load, ['error', 'link']);
    const counts = await countEntries(db, load);
    const log = await ProblemLog.open(db, site.random, load);
    let seq = site.clock.micros();
    const appliers = run.applier({
      load,
      hold: (connection) => claim.hold(connection),
      next: () => {
        seq += 1;
        return seq;
      },
      note: (connection, problems) => log.add(connection, problems),
    });
    const tally = { ...storedCounts(counts), failed: 0 };
    const now = nowMillis(site.clock);
    return {
      ...run,
      claim,
      mode,
      appliers,
      log,
      tally,
      isResumed: counts.size > 0,
      began: now,
      seen: 0,
      beat: now,
    };
  });
}

/** Resolves to false when the load was paused, or the run aborted. */
async function applyAll(work: Work): Promise<boolean> {
  const { source, appliers } = work;
  const batches = batchesOf(source.records(), appliers.batch)[Symbol.asyncIterator]();
  try {
    let next = batches.next();
    for (;;) {
      const { done, value } = await next;
      if (done) break;
      // Reads on while the database works.
      next = batches.next();
      next.catch(() => {});
      await applyBatch(work, value);
      if (!(await goOn(work))) return false;
    }
  } finally {
    await batches.return(undefined);
  }
  return true;
}

async function applyBatch(work: Work, { records, broken }: SourceBatch): Promise<void> {
  const { tally, log, claim } = work;
  const open = work.isResumed ? await unapplied(work, records) : records;
  const outcomes = open.length === 0 ? [] : await applyPatiently(work, open);
  const failures: LoadProblem[] = [...broken];
  tally.failed += broken.length;
  for (const { action, problems } of outcomes) {
    tally[action] += 1;
    if (action === 'failed') failures.push(...problems);
  }
  if (failures.length > 0) await claim.transaction((db) => log.add(db, failures));
  work.seen += records.length + broken.length;
  work.onProgress?.(standOf(work));
}

/** Tries again while the database does not answer: the ledger tells what has been stored meanwhile. */
async function applyPatiently(
  { appliers, signal }: Work,
  records: readonly KeyedRecord[],
): Promise<readonly LoadOutcome[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await appliers.apply(records);
    } catch (error) {
      if (isRefusal(error) || !(error instanceof ServiceError) || tries >= LIMITS.loadTries) throw error;
      await waited(tries * PAUSE, signal);
    }
  }
}

/** The records that the ledger does not have with this content. */
async function unapplied({ site, load }: Work, records: readonly KeyedRecord[]): Promise<KeyedRecord[]> {
  const known = await knownKeys(site.database.reader, load, records);
  return records.filter((record) => known.get(entryKey(record))?.hash !== record.hash);
}

/** Writes the progress now and then. Resolves to false when the load was paused, or the run aborted. */
async function goOn(work: Work): Promise<boolean> {
  const { site, claim, signal } = work;
  const now = nowMillis(site.clock);
  if (!signal?.aborted && now - work.beat < BEAT) return true;
  work.beat = now;
  return (await claim.write(progressOf(work))) && !signal?.aborted;
}

async function finish(work: Work): Promise<void> {
  const { site, load, claim, appliers, seen } = work;
  const brokenLinks = await appliers.finish();
  const counts = await countEntries(site.database.reader, load);
  const stored = { ...storedCounts(counts), failed: work.tally.failed };
  // Records without an entry of their own repeat the key of an earlier one.
  const entries = [...counts.values()].reduce((sum, one) => sum + one, stored.failed);
  stored[work.mode === 'Insert' ? 'skipped' : 'updated'] += Math.max(0, seen - entries);
  const done = total(stored);
  const end = { ...endOf(work), part: 100, remaining: 0, finished: timestamp(site) };
  await claim.write({
    ...progressOf(work),
    ...{ ...stored, ...end, done, total: done, broken_links: brokenLinks },
  });
}

/** Records by outcome, as the ledger has them. */
function storedCounts(counts: ReadonlyMap<string, number>) {
  const count = (action: string) => counts.get(action) ?? 0;
  return {
    inserted: count('inserted'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    skipped: count('skipped'),
  };
}

/** The status of a load whose records were all looked at. One that is undone still belongs to its run. */
function endOf({ isAllOrNone, tally: { failed } }: Work) {
  if (!isAllOrNone || failed === 0) return { status: 'Done', runner: '' };
  const error = `${failed} records failed, so the stored ones are undone, except those kept`;
  return { status: 'Undoing', error, undone: 0, kept: 0 };
}

function standOf({ site, source, tally, seen, began }: Work): LoadStand {
  const done = total(tally);
  const seconds = Math.max(0.001, (nowMillis(site.clock) - began) / 1_000);
  const rate = seen / seconds;
  const part = source.part();
  const left =
    source.total !== null ? (source.total - seen) / rate : part ? (seconds * (1 - part)) / part : null;
  const remaining = left === null || !Number.isFinite(left) ? null : Math.max(0, Math.round(left));
  return { ...tally, done, total: source.total, rate, remaining };
}

function progressOf(work: Work) {
  const { rate, remaining, total: _total, ...counts } = standOf(work);
  const part = work.source.part();
  return {
    ...counts,
    rate: Math.round(rate),
    remaining: remaining ?? 0,
    ...(part === null ? {} : { part: Math.round(part * 10_000) / 100 }),
  };
}
