import { timestamp } from '../document/context.ts';
import type { Site } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Applier, LoadOfApplier } from './applier.ts';
import { type DataLoad, type LoadStatus, readLoad, writeLoad } from './data-load.ts';
import { keepClaim } from './keep-claim.ts';
import { lastEntries } from './ledger.ts';
import { clearProblems, ProblemLog } from './problems.ts';

export interface UndoRun {
  readonly site: Site;
  /** The name of the `Data Load`. */
  readonly load: string;
  readonly applier: (of: LoadOfApplier) => Applier;
  /** Names this run, if it has claimed the load already. */
  readonly runner?: string;
  /** Ends the run after the batch at hand; the load stays `Undoing`, and another run goes on. */
  readonly signal?: AbortSignal;
  /** Called after each batch with the records undone and kept so far. */
  readonly onProgress?: (undone: number, kept: number) => void;
}

const UNDOABLE: readonly LoadStatus[] = ['Paused', 'Done', 'Failed', 'Undoing', 'Running'];

/**
 * Undoes a load, the last record first: each batch with its entries of the ledger, so that a later run goes on after a
 * kill. Resolves to the load as it is then.
 * @throws ServiceError ValidationError when there is nothing to undo
 */
export async function undoLoad(run: UndoRun): Promise<DataLoad> {
  const { site, load, signal } = run;
  const { database } = site;
  const { runner = site.random.hash(10) } = run;
  const { log, ...first } = await database.transaction(async (db) => {
    const before = await readLoad(db, load);
    const error = before.status === 'Undoing' ? before.error : null;
    if (!(await writeLoad(site, db, load, { status: 'Undoing', runner, error }, UNDOABLE))) {
      throw new ServiceError(
        'ValidationError',
        `Data Load ${load} is ${before.status}: there is nothing to undo`,
      );
    }
    if (before.status !== 'Undoing') await clearProblems(db, load, ['undo']);
    const { undone, kept } = before.status === 'Undoing' ? before : { undone: 0, kept: 0 };
    return { log: await ProblemLog.open(db, site.random, load), undone, kept };
  });
  let { undone, kept } = first;
  const applier = run.applier({
    load,
    next: () => 0,
    note: (connection, problems) => log.add(connection, problems),
  });
  const endClaim = keepClaim(site, load, 'Undoing', runner);
  try {
    while (!signal?.aborted) {
      const entries = await lastEntries(database.reader, load, applier.batch);
      const isEnd = entries.length === 0;
      if (!isEnd) {
        const outcome = await applier.undo(entries);
        undone += outcome.undone;
        kept += outcome.kept;
        run.onProgress?.(undone, kept);
      }
      const end = isEnd ? { status: 'Undone', runner: '', finished: timestamp(site) } : {};
      const isOurs = await database.transaction((db) =>
        writeLoad(site, db, load, { undone, kept, ...end }, ['Undoing'], runner),
      );
      if (isEnd || !isOurs) break;
    }
  } finally {
    await endClaim();
  }
  if (signal?.aborted)
    await database.transaction((db) => writeLoad(site, db, load, { runner: '' }, undefined, runner));
  return readLoad(database.reader, load);
}
