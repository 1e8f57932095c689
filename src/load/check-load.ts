import { timestamp } from '../document/context.ts';
import type { Context, Site } from '../document/contract.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { LoadOutcome } from './applier.ts';
import { batchesOf } from './batches.ts';
import { type DataLoad, failLoad, type LoadCounts, readLoad, writeLoad } from './data-load.ts';
import { clearProblems, type LoadProblem, ProblemLog } from './problems.ts';
import type { KeyedRecord, LoadSource } from './record.ts';

export interface CheckRun {
  readonly site: Site;
  /** The check ends when the load has another status. */
  readonly load: DataLoad;
  readonly source: LoadSource;
  /** Records that `check` takes at once, at most. */
  readonly batch: number;
  /** Stores records in units of work that it undoes (`tryOut`). Resolves to one outcome for each, in order. */
  readonly check: (records: readonly KeyedRecord[]) => Promise<readonly LoadOutcome[]>;
  /** Names this run. */
  readonly runner: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (counts: LoadCounts) => void;
}

/** Milliseconds between two writes of the progress. */
const BEAT = 1_000;

/**
 * Tries out every record of a source, and writes what is wrong to the log of the load. Resolves to what a run would
 * do; null when it was stopped.
 * @throws ServiceError when it cannot go on; the load is `Failed` then
 */
export async function checkLoad(run: CheckRun): Promise<LoadCounts | null> {
  try {
    return await checkAll(run);
  } catch (error) {
    await failLoad(run.site, run.load.name, error, run.runner);
    throw error;
  }
}

async function checkAll(run: CheckRun): Promise<LoadCounts | null> {
  const { site, load, source, batch, check, runner, signal, onProgress } = run;
  const { database, clock } = site;
  const { name, status } = load;
  const log = await database.transaction(async (db) => {
    await clearProblems(db, name, ['error', 'changed', 'link']);
    const begun = { runner, error: null, started: timestamp(site), finished: null };
    await writeLoad(site, db, name, begun, [status]);
    return ProblemLog.open(db, site.random, name);
  });
  const counts = { inserted: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
  let beat = nowMillis(clock);
  for await (const { records, broken } of batchesOf(source.records(), batch)) {
    const outcomes = records.length === 0 ? [] : await check(records);
    const problems: LoadProblem[] = [...broken];
    counts.failed += broken.length;
    for (const { action, problems: found } of outcomes) {
      counts[action] += 1;
      problems.push(...found);
    }
    if (problems.length > 0) await database.transaction((db) => log.add(db, problems));
    onProgress?.(counts);
    if (signal?.aborted) return leave(run);
    if (nowMillis(clock) - beat < BEAT) continue;
    beat = nowMillis(clock);
    const part = Math.round((source.part() ?? 0) * 10_000) / 100;
    const isOn = await database.transaction((db) =>
      writeLoad(site, db, name, { ...counts, part, done: total(counts) }, [status], runner),
    );
    if (!isOn) return leave(run);
  }
  return counts;
}

/** Ends a run before its check has ended. Another server goes on with it, but no other command line. */
async function leave({ site, load: { name, status, file }, runner }: CheckRun): Promise<null> {
  const stopped = status === 'Checking' && file === null ? { status: 'Draft' } : {};
  await site.database.transaction((db) =>
    writeLoad(site, db, name, { ...stopped, runner: '' }, undefined, runner),
  );
  return null;
}

/** Writes the result of a check that has seen all records. Resolves to the load as it is then. */
export async function endCheck(
  { site, load: { name, status }, runner }: Pick<CheckRun, 'site' | 'load' | 'runner'>,
  counts: LoadCounts,
): Promise<DataLoad> {
  const done = total(counts);
  const stopped = { part: 100, remaining: 0, done, total: done, finished: timestamp(site), runner: '' };
  const error =
    status === 'Running' ? `Nothing was stored, because ${counts.failed} records have problems` : null;
  await site.database.transaction((db) =>
    writeLoad(site, db, name, { ...counts, ...stopped, status: 'Checked', error }, [status], runner),
  );
  return readLoad(site.database.reader, name);
}

/** The number of records in counts. */
export function total({ inserted, updated, unchanged, skipped, failed }: LoadCounts): number {
  return inserted + updated + unchanged + skipped + failed;
}

/** Undoes a unit of work that has succeeded. */
class Undone extends ServiceError {
  constructor() {
    super('ValidationError', 'a check stores nothing');
  }
}

/** Does work in a unit of work, and undoes it. Resolves to its result. */
export async function tryOut<T>(
  unit: (work: (ctx: Context) => Promise<never>) => Promise<never>,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  let done: { readonly result: T } | null = null;
  const tried = unit(async (ctx) => {
    done = { result: await work(ctx) };
    throw new Undone();
  });
  return tried.catch((error: unknown) => {
    if (error instanceof Undone && done) return done.result;
    throw error;
  });
}
