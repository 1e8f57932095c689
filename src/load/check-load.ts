import { timestamp } from '../document/context.ts';
import type { Context, Site } from '../document/contract.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { LoadOutcome } from './applier.ts';
import { batchesOf } from './batches.ts';
import type { Claim } from './claim.ts';
import { type DataLoad, type LoadCounts, total, writeLoad } from './data-load.ts';
import { clearProblems, type LoadProblem, ProblemLog } from './problems.ts';
import type { KeyedRecord, LoadSource } from './record.ts';

export interface CheckRun {
  readonly site: Site;
  readonly load: DataLoad;
  /** The check ends when it is lost. */
  readonly claim: Claim;
  readonly source: LoadSource;
  /** Records that `check` takes at once, at most. */
  readonly batch: number;
  /** Stores records in units of work that it undoes (`tryOut`). Resolves to one outcome for each, in order. */
  readonly check: (records: readonly KeyedRecord[]) => Promise<readonly LoadOutcome[]>;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (counts: LoadCounts) => void;
}

/** Milliseconds between two writes of the progress. */
const BEAT = 1_000;

/**
 * Tries out every record of a source, and writes what is wrong to the log of the load. Resolves to what a run would
 * do; null when it was stopped.
 * @throws ClaimLost
 */
export async function checkLoad(run: CheckRun): Promise<LoadCounts | null> {
  const { site, load, claim, source, batch, check, signal, onProgress } = run;
  const log = await claim.transaction(async (db) => {
    await clearProblems(db, load.name, ['error', 'changed', 'link']);
    await writeLoad(site, db, load.name, { error: null, started: timestamp(site), finished: null });
    return ProblemLog.open(db, site.random, load.name);
  });
  const counts = { inserted: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
  let beat = nowMillis(site.clock);
  for await (const { records, broken } of batchesOf(source.records(), batch)) {
    const outcomes = records.length === 0 ? [] : await check(records);
    const problems: LoadProblem[] = [...broken];
    counts.failed += broken.length;
    for (const { action, problems: found } of outcomes) {
      counts[action] += 1;
      problems.push(...found);
    }
    if (problems.length > 0) await claim.transaction((db) => log.add(db, problems));
    onProgress?.(counts);
    if (signal?.aborted) return leave(run);
    if (nowMillis(site.clock) - beat < BEAT) continue;
    beat = nowMillis(site.clock);
    const part = Math.round((source.part() ?? 0) * 10_000) / 100;
    if (!(await claim.write({ ...counts, part, done: total(counts) }))) return null;
  }
  return counts;
}

/** Ends a run before its check has ended. Another server goes on with it, but no other command line. */
async function leave({ load: { status, file }, claim }: CheckRun): Promise<null> {
  await claim.leave(status === 'Checking' && file === null ? { status: 'Draft' } : {});
  return null;
}

/** Writes the result of a check that has seen all records. */
export function endCheck(
  { site, load: { status }, claim }: Pick<CheckRun, 'site' | 'load' | 'claim'>,
  counts: LoadCounts,
): Promise<void> {
  const done = total(counts);
  const stopped = { part: 100, remaining: 0, done, total: done, finished: timestamp(site) };
  const error =
    status === 'Running' ? `Nothing was stored, because ${counts.failed} records have problems` : null;
  return claim.leave({ ...counts, ...stopped, status: 'Checked', error });
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
