import type { Connection } from '../db/database.ts';
import type { KnownRecord, LedgerEntry } from './ledger.ts';
import type { LoadProblem } from './problems.ts';
import type { KeyedRecord } from './record.ts';

/** What became of a record. `failed` is not in the ledger, so that a later run tries it again. */
export type LoadAction = 'inserted' | 'updated' | 'unchanged' | 'skipped' | 'failed';

/** What became of a record in an earlier run, by its entry. */
export function earlierAction({ action }: KnownRecord): LoadAction {
  return action === 'kept' || action === 'added' ? 'skipped' : action;
}

/** The outcome of one record. */
export interface LoadOutcome {
  readonly action: LoadAction;
  /** Why it failed, one for each bad value; or what changed in a stored record. */
  readonly problems: readonly LoadProblem[];
  /** It may pass once other records of its batch are stored. */
  readonly mayPass?: boolean;
}

/**
 * Stores records. `store` (the loading operation) keeps them as they were, in large transactions; `save` (the
 * ordinary import) takes them through the verbs as a user, a few in a unit of work.
 *
 * The promise of a load, that nothing is doubled or missing after a kill, rests on one rule: **the ledger entry of a
 * record is written in the transaction that stores its document**, with `writeLedger`. In that transaction,
 * `knownKeys` tells which records another run has stored in the meantime.
 */
export interface Applier {
  /** Records that `apply` takes at once, at most. */
  readonly batch: number;
  /**
   * Applies records that no earlier run has applied with this content. Resolves to one outcome for each, in order.
   * Rejects only when no further record can be stored either, such as on a full disk.
   */
  apply(records: readonly KeyedRecord[]): Promise<readonly LoadOutcome[]>;
  /**
   * After the last record, once all are applied: checks over the whole load. May run again after a kill. Notes what it
   * finds with `addProblems`; resolves to the number of broken links.
   */
  finish(): Promise<number>;
  /**
   * Undoes entries of the ledger in one or more transactions, and removes each with its undo (`forgetEntries`).
   * Resolves to the entries that stay as they are, because their documents have changed since or others link to them;
   * these are kept in the ledger as `kept` (`keepEntries`) and noted.
   */
  undo(entries: readonly LedgerEntry[]): Promise<UndoOutcome>;
}

export interface UndoOutcome {
  readonly undone: number;
  readonly kept: number;
}

/** What appliers need of the load that they work for. */
export interface LoadOfApplier {
  /** The name of the `Data Load`. */
  readonly load: string;
  /**
   * Comes first in each transaction that stores: the load stays this run's until the end of it (`Claim.hold`).
   * @throws ClaimLost when another run has taken it over, or somebody has paused or undone it
   */
  hold(db: Connection): Promise<void>;
  /** The next number of an entry or problem of this run. */
  next(): number;
  /** Writes problems that belong to stored records, such as cleaned HTML, in their transaction. */
  note(db: Connection, problems: readonly LoadProblem[]): Promise<void>;
}
