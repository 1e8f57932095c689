import { timestamp } from '../document/context.ts';
import type { Site } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Applier, LoadOfApplier } from './applier.ts';
import { Claim } from './claim.ts';
import { type DataLoad, type LoadStatus, readLoad } from './data-load.ts';
import { countEntries, lastEntries } from './ledger.ts';
import { markKept } from './mark-kept.ts';
import { ProblemLog } from './problems.ts';

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

/** Statuses in which an undo may take a load over. */
const UNDOABLE: readonly LoadStatus[] = ['Paused', 'Done', 'Failed', 'Undoing', 'Running'];

/**
 * Undoes a load. First it marks the documents that stay, over the whole load; then it undoes the others, the last
 * record first. Each batch goes with its entries of the ledger, so that a later run goes on after a kill. Resolves to
 * the load as it is then.
 * @throws ServiceError ValidationError when there is nothing to undo; any other when the undo cannot go on
 */
export async function undoLoad(run: UndoRun): Promise<DataLoad> {
  const { site, load } = run;
  const claim = new Claim(site, load, 'Undoing', run.runner);
  await claim.during(async () => {
    const work = await begin(run, claim);
    if ((await keepAll(work)) && (await undoAll(work))) await finish(work);
    else await claim.leave();
  });
  return readLoad(site.database.reader, load);
}

interface Work extends UndoRun {
  readonly claim: Claim;
  readonly of: LoadOfApplier;
  undone: number;
  kept: number;
}

async function begin(run: UndoRun, claim: Claim): Promise<Work> {
  const { site, load } = run;
  return site.database.transaction(async (db) => {
    const { status, undone } = await readLoad(db, load);
    const isBegun = status === 'Undoing';
    if (!(await claim.take(db, UNDOABLE, isBegun ? {} : { error: null, undone: 0, kept: 0 })))
      throw new ServiceError('ValidationError', `Data Load ${load} is ${status}: there is nothing to undo`);
    const log = await ProblemLog.open(db, site.random, load);
    const of: LoadOfApplier = {
      load,
      hold: (connection) => claim.hold(connection),
      next: () => 0,
      note: (connection, problems) => log.add(connection, problems),
    };
    const kept = (await countEntries(db, load)).get('kept') ?? 0;
    return { ...run, claim, of, undone: isBegun ? undone : 0, kept };
  });
}

/** Marks what stays before anything is deleted. Resolves to false when the run was aborted. */
async function keepAll(work: Work): Promise<boolean> {
  const { site, of, signal } = work;
  for await (const found of markKept(site, of)) {
    work.kept += found;
    if (found > 0) await tell(work);
    if (signal?.aborted) return false;
  }
  return true;
}

/**
 * Gives all documents their former values, and then deletes the new ones: a document that cannot get its former values
 * stays, and keeps those to which it links. Resolves to false when the run was aborted.
 */
async function undoAll(work: Work): Promise<boolean> {
  const applier = work.applier(work.of);
  return (await undoEach(work, applier, 'updated')) && (await undoEach(work, applier, 'all'));
}

async function undoEach(work: Work, applier: Applier, which: 'updated' | 'all'): Promise<boolean> {
  const { site, load, signal } = work;
  while (!signal?.aborted) {
    const entries = await lastEntries(site.database.reader, load, which, applier.batch);
    if (entries.length === 0) return true;
    const { undone, kept } = await applier.undo(entries);
    work.undone += undone;
    work.kept += kept;
    if (!(await tell(work))) return false;
  }
  return false;
}

/** Resolves to false when the claim is lost. */
function tell({ claim, undone, kept, onProgress }: Work): Promise<boolean> {
  onProgress?.(undone, kept);
  return claim.write({ undone, kept });
}

function finish({ site, claim, undone, kept }: Work): Promise<void> {
  return claim.leave({ status: 'Undone', finished: timestamp(site), undone, kept });
}
