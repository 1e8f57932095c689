import { LIMITS } from '../../kernel/limits.ts';
import type { LoadOfApplier, LoadOutcome } from '../applier.ts';
import { contentHash } from '../batches.ts';
import { type CheckRun, checkLoad, endCheck } from '../check-load.ts';
import { Claim } from '../claim.ts';
import { type DataLoad, readLoad } from '../data-load.ts';
import type { KeyedRecord, LoadSource } from '../record.ts';
import { problemOf } from './prepare-record.ts';
import { EXISTS_HERE, storeApplier } from './store-applier.ts';
import type { StoreOptions } from './store-options.ts';

/**
 * Checks a load: stores each batch in a unit of work that is undone. Links are not checked. Resolves to the load as it
 * is then. Records of the doctypes in `unknown` count as skipped: a run would define these first.
 * @throws ServiceError when it cannot go on; the load is `Failed` then
 */
export async function checkStored(
  options: StoreOptions,
  load: DataLoad,
  source: LoadSource,
  run: Pick<CheckRun, 'signal' | 'onProgress'> & { readonly runner?: string },
  unknown: ReadonlySet<string> = new Set(),
): Promise<DataLoad> {
  const { site } = options;
  const claim = new Claim(site, load.name, load.status, run.runner);
  const store = storeCheck(options, { load: load.name, hold: (db) => claim.hold(db) });
  const check: CheckRun['check'] = async (records) => {
    const outcomes = await store(records.filter(({ doctype }) => !unknown.has(doctype)));
    let at = 0;
    return records.map(({ doctype }) => {
      if (unknown.has(doctype)) return { action: 'skipped', problems: [] };
      at += 1;
      return outcomes[at - 1] ?? { action: 'failed', problems: [] };
    });
  };
  await claim.during(async () => {
    if (!(await claim.takeNow())) return;
    const checking = { ...run, site, load, claim, source, batch: LIMITS.loadBatch, check };
    const counts = await checkLoad(checking);
    if (counts !== null) await endCheck(checking, counts);
  });
  return readLoad(site.database.reader, load.name);
}

function storeCheck(options: StoreOptions, of: Pick<LoadOfApplier, 'load' | 'hold'>): CheckRun['check'] {
  let seq = 0;
  const next = () => {
    seq += 1;
    return seq;
  };
  const { apply } = storeApplier({ ...options, isCheck: true })({ ...of, next, note: async () => {} });
  const seen = new SeenDocuments(options);
  return async (records) => {
    const outcomes = await apply(records);
    return outcomes.map((outcome, at) => {
      const record = records[at];
      return record && outcome.action !== 'failed' ? seen.outcomeOf(record, outcome) : outcome;
    });
  };
}

/**
 * The names and unique values of the records that a check has seen: it stores none, so the database does not know them.
 * Remembers `LIMITS.importSeenValues`, each with the line of the first record of its document.
 */
class SeenDocuments {
  readonly #options: StoreOptions;
  readonly #lines = new Map<string, number>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** The outcome of a record that can be stored by itself. */
  outcomeOf(record: KeyedRecord, outcome: LoadOutcome): LoadOutcome {
    const { mode, skipExisting } = this.#options;
    const doctype = this.#options.site.doctypes.find(record.doctype);
    const { key, row = 0, values } = record;
    const line = this.#first(`${record.doctype}\n\n${key}`, row);
    if (line !== row && mode === 'Insert' && doctype?.issingle === false) {
      if (skipExisting) return { action: 'skipped', problems: [] };
      return { action: 'failed', problems: [problemOf(record, 'error', 'name', key, EXISTS_HERE)] };
    }
    const problems = (doctype?.fields ?? [])
      .filter(({ unique, fieldname }) => unique && !isEmpty(values[fieldname]))
      .flatMap(({ fieldname, label }) => {
        const value = values[fieldname];
        const other = this.#first(`${record.doctype}\n${fieldname}\n${String(value)}`, line);
        if (other === line) return [];
        return [problemOf(record, 'error', fieldname, value, `Line ${other} has the same ${label}`)];
      });
    if (problems.length > 0) return { action: 'failed', problems };
    return line === row || outcome.action !== 'inserted' ? outcome : { ...outcome, action: 'updated' };
  }

  /** The line that a value was first seen with; now this one, if it is new. */
  #first(value: string, line: number): number {
    const key = contentHash(value);
    const first = this.#lines.get(key);
    if (first === undefined && this.#lines.size < LIMITS.importSeenValues) this.#lines.set(key, line);
    return first ?? line;
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
