import { ServiceError } from '../../kernel/errors.ts';
import type { LoadOutcome } from '../applier.ts';
import { type CheckRun, tryOut } from '../check-load.ts';
import { type ResolvedRecord, TitleResolver } from './resolve-titles.ts';
import { applyInOrder, failureOf } from './save-applier.ts';
import { importUnit, type SaveOptions } from './save-options.ts';
import { saveRecord } from './save-record.ts';
import { SeenValues } from './seen-values.ts';

/** Checks the records of an ordinary import: takes each through its verb, in a unit of work that is undone. */
export function saveCheck(options: SaveOptions): CheckRun['check'] {
  const titles = new TitleResolver(options);
  const seen = new SeenValues(options);
  return async (records) => {
    const resolved = await titles.resolve(records);
    return applyInOrder(options, resolved, (record) => checkRecord(options, seen, record));
  };
}

async function checkRecord(
  options: SaveOptions,
  seen: SeenValues,
  record: ResolvedRecord,
): Promise<LoadOutcome> {
  if (record.problems.length > 0) return { action: 'failed', problems: record.problems };
  try {
    const saved = await tryOut(
      (work) => importUnit(options, work),
      (ctx) => saveRecord(ctx, options, record.values),
    );
    return seen.outcomeOf(record, saved);
  } catch (error) {
    if (error instanceof ServiceError && seen.explains(record, error)) {
      return seen.outcomeOf(record, {
        action: 'inserted',
        name: '',
        revision: 0,
        creation: null,
        before: null,
      });
    }
    return failureOf(record, error);
  }
}
