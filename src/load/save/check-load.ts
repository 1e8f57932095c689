import { timestamp } from '../../document/context.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { LoadOutcome } from '../applier.ts';
import { batchesOf } from '../batches.ts';
import { type LoadCounts, type LoadStatus, writeLoad } from '../data-load.ts';
import { clearProblems, type LoadProblem, ProblemLog } from '../problems.ts';
import type { LoadSource } from '../record.ts';
import { type ResolvedRecord, TitleResolver } from './resolve-titles.ts';
import { applyInOrder, failureOf } from './save-applier.ts';
import { importUnit, type SaveOptions } from './save-options.ts';
import { type Saved, saveRecord } from './save-record.ts';
import { SeenValues } from './seen-values.ts';

export interface CheckRun {
  readonly options: SaveOptions;
  /** The name of the `Data Load`. */
  readonly load: string;
  readonly source: LoadSource;
  /** The check ends when the load has another status. */
  readonly status: LoadStatus;
  /** Names this run. */
  readonly runner: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (counts: LoadCounts) => void;
}

/** Milliseconds between two writes of the progress. */
const BEAT = 1_000;

/**
 * Takes every record of a source through its verb, in a unit of work that is undone, and writes what is
 * wrong to the log of the load. Resolves to what an import would do; null when it was stopped.
 */
export async function checkLoad(run: CheckRun): Promise<LoadCounts | null> {
  const { options, load, source, status, runner, signal, onProgress } = run;
  const { site } = options;
  const { database, clock } = site;
  const log = await database.transaction(async (db) => {
    await clearProblems(db, load, ['error', 'changed']);
    const begun = { runner, error: null, started: timestamp(site), finished: null };
    await writeLoad(site, db, load, begun, [status]);
    return ProblemLog.open(db, site.random, load);
  });
  const titles = new TitleResolver(options);
  const seen = new SeenValues(options);
  const counts = { inserted: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
  const leave = async () => {
    await database.transaction((db) => writeLoad(site, db, load, { runner: '' }, undefined, runner));
    return null;
  };
  let beat = nowMillis(clock);
  for await (const { records, broken } of batchesOf(source.records(), LIMITS.importBatch)) {
    const resolved = await titles.resolve(records);
    const outcomes = await applyInOrder(resolved, (record) => checkRecord(options, seen, record));
    const problems: LoadProblem[] = [...broken];
    counts.failed += broken.length;
    for (const { action, problems: found } of outcomes) {
      counts[action] += 1;
      problems.push(...found);
    }
    if (problems.length > 0) await database.transaction((db) => log.add(db, problems));
    onProgress?.(counts);
    if (signal?.aborted) return leave();
    if (nowMillis(clock) - beat < BEAT) continue;
    beat = nowMillis(clock);
    const part = Math.round((source.part() ?? 0) * 10_000) / 100;
    const isOn = await database.transaction((db) =>
      writeLoad(site, db, load, { ...counts, part, done: total(counts) }, [status], runner),
    );
    if (!isOn) return leave();
  }
  return counts;
}

/** The number of records in counts. */
export function total({ inserted, updated, unchanged, skipped, failed }: LoadCounts): number {
  return inserted + updated + unchanged + skipped + failed;
}

/** Undoes the unit of a record that can be saved. */
class Undone extends ServiceError {
  readonly saved: Saved;
  constructor(saved: Saved) {
    super('ValidationError', 'a check stores nothing');
    this.saved = saved;
  }
}

async function checkRecord(
  options: SaveOptions,
  seen: SeenValues,
  record: ResolvedRecord,
): Promise<LoadOutcome> {
  if (record.problems.length > 0) return { action: 'failed', problems: record.problems };
  try {
    return await importUnit(options, async (ctx) => {
      throw new Undone(await saveRecord(ctx, options, record.values));
    });
  } catch (error) {
    if (error instanceof Undone) return seen.outcomeOf(record, error.saved);
    if (error instanceof ServiceError && seen.explains(record, error)) {
      return seen.outcomeOf(record, { action: 'inserted', name: '', revision: 0, before: null });
    }
    return failureOf(record, error);
  }
}
