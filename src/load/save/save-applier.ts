import type { Context } from '../../document/contract.ts';
import { LOGS, NEVER_BLOCKING } from '../../document/list/referrers.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Applier, earlierAction, type LoadOfApplier, type LoadOutcome } from '../applier.ts';
import { entryKey, knownKeys, type LedgerEntry, writeLedger } from '../ledger.ts';
import { identitiesOf, identityKey } from './identities.ts';
import { type ResolvedRecord, TitleResolver } from './resolve-titles.ts';
import { importUnit, type SaveOptions } from './save-options.ts';
import { isRefused, problemsOf } from './save-problems.ts';
import { saveRecord } from './save-record.ts';
import { undoSaved } from './undo-saved.ts';

/** The ordinary import: saves records through the verbs, as a user, with their ledger entries. */
export function saveApplier(options: SaveOptions): (of: LoadOfApplier) => Applier {
  return (of) => {
    const titles = new TitleResolver(options);
    return {
      batch: LIMITS.importBatch,
      apply: async (records) => {
        const resolved = await titles.resolve(records);
        const saved = await saveTogether(options, of, resolved);
        return applyInOrder(
          options,
          resolved,
          async (record) => saved.get(record) ?? save(options, of, record),
        );
      },
      // The verbs have checked each link.
      finish: async () => 0,
      undo: (entries) => undoSaved(options, of, entries),
    };
  };
}

/**
 * Works on many at once, so that they share commits; on those that share an identity one after the other, so that the
 * last one of a document and the first one with a unique value win. Those that fail are tried again at the end: a
 * record may link to another one of the batch, or have waited too long for the database.
 */
export async function applyInOrder(
  options: SaveOptions,
  records: readonly ResolvedRecord[],
  work: (record: ResolvedRecord) => Promise<LoadOutcome>,
): Promise<LoadOutcome[]> {
  const outcomes = new Map<ResolvedRecord, LoadOutcome>();
  const last = new Map<string, Promise<boolean>>();
  const settled = await Promise.allSettled(
    records.map((record) => {
      const keys = keysOf(options, record);
      const turn = Promise.all(keys.map((key) => last.get(key))).then(async (passed) => {
        // A record is tried again at the end if an earlier one with the same identity is.
        const outcome = passed.includes(false) ? null : await attempt(record, work);
        if (outcome !== null) outcomes.set(record, outcome);
        return outcome !== null;
      });
      for (const key of keys) last.set(key, turn);
      return turn;
    }),
  );
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  for (const record of records) if (!outcomes.has(record)) outcomes.set(record, await work(record));
  return records.flatMap((record) => outcomes.get(record) ?? []);
}

/** A text for each identity of a record. */
function keysOf(options: SaveOptions, { values }: ResolvedRecord): readonly string[] {
  return identitiesOf(options, values).map(identityKey);
}

/** Null for a record that is to be tried again. */
async function attempt(
  record: ResolvedRecord,
  work: (record: ResolvedRecord) => Promise<LoadOutcome>,
): Promise<LoadOutcome | null> {
  try {
    const outcome = await work(record);
    return outcome.action === 'failed' && outcome.mayPass ? null : outcome;
  } catch (error) {
    // Slow hooks may have kept it waiting for too long. The ledger knows a record whose commit was not answered.
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** Records of one unit of work, at most, and the milliseconds after which it takes no further one. */
const UNIT = 16;
const UNIT_MILLIS = 50;

/**
 * Saves several records in each unit of work, because those of a series wait for each other's commit on PostgreSQL.
 * Resolves to the outcomes of units in which nothing failed: the other records are saved alone, and so are those that
 * would keep others waiting behind slow hooks.
 */
async function saveTogether(
  options: SaveOptions,
  of: LoadOfApplier,
  records: readonly ResolvedRecord[],
): Promise<ReadonlyMap<ResolvedRecord, LoadOutcome>> {
  const taken = new Set<string>();
  const firsts = records.filter((record) => {
    const keys = keysOf(options, record);
    const isFirst = !keys.some((key) => taken.has(key));
    for (const key of keys) taken.add(key);
    return isFirst;
  });
  // Units that take the series in one order do not wait for each other in a circle.
  const open = firsts
    .filter(({ problems }) => problems.length === 0)
    .sort((one, other) => compareTexts(seriesOf(one), seriesOf(other)));
  const units = Array.from({ length: Math.ceil(open.length / UNIT) }, (_, at) =>
    open.slice(at * UNIT, (at + 1) * UNIT),
  );
  const saved = await Promise.allSettled(
    units.map((unit) => importUnit(options, (ctx) => saveInUnit(ctx, options, of, unit))),
  );
  return new Map(saved.flatMap((unit) => (unit.status === 'fulfilled' ? [...unit.value] : [])));
}

/** The series that a record asks for. */
function seriesOf({ values }: ResolvedRecord): string {
  return String(values['naming_series'] ?? '');
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

async function save(options: SaveOptions, of: LoadOfApplier, record: ResolvedRecord): Promise<LoadOutcome> {
  if (record.problems.length > 0) return { action: 'failed', problems: record.problems };
  try {
    const saved = await importUnit(options, (ctx) => saveInUnit(ctx, options, of, [record]));
    return saved.get(record) ?? { action: 'failed', problems: [] };
  } catch (error) {
    return failureOf(record, error);
  }
}

/** Saves the first of these records, and others until it has taken long. */
async function saveInUnit(
  ctx: Context,
  options: SaveOptions,
  of: LoadOfApplier,
  records: readonly ResolvedRecord[],
): Promise<ReadonlyMap<ResolvedRecord, LoadOutcome>> {
  const { clock } = options.site;
  const until = nowMillis(clock) + UNIT_MILLIS;
  await of.hold(ctx.db);
  const known = await knownKeys(ctx.db, of.load, records);
  const outcomes = new Map<ResolvedRecord, LoadOutcome>();
  const entries: LedgerEntry[] = [];
  for (const record of records) {
    const { doctype, key, hash, row = 0, values } = record;
    if (outcomes.size > 0 && nowMillis(clock) > until) break;
    const earlier = known.get(entryKey(record));
    if (earlier?.hash === hash) {
      outcomes.set(record, { action: earlierAction(earlier), problems: [] });
      continue;
    }
    const saved = await saveRecord(ctx, options, values);
    entries.push({ doctype, key, seq: of.next(), row, hash, ...saved });
    outcomes.set(record, { action: saved.action, problems: [] });
  }
  if ((await writeLedger(ctx.db, of.load, entries)) < entries.length) {
    // A commit whose answer was lost was still under way when the ledger was read.
    throw new ServiceError('ServiceUnavailableError', 'These records are being stored already');
  }
  await writeLedger(ctx.db, of.load, additionsIn(ctx, of));
  return outcomes;
}

/** Entries of the comments, files and shares that this unit has added to its document. */
function additionsIn({ events }: Context, of: LoadOfApplier): LedgerEntry[] {
  const added = new Map<string, LedgerEntry>();
  for (const { doctype, doc, revision } of events) {
    if (!NEVER_BLOCKING.has(doctype.name) || LOGS.has(doctype.name)) continue;
    const about = { doctype: doctype.name, key: doc.name, name: doc.name };
    const entry = {
      ...about,
      action: 'added',
      seq: of.next(),
      row: 0,
      hash: '',
      ...{ revision, creation: doc.creation },
      before: null,
    } as const;
    added.set(entryKey(about), entry);
  }
  return [...added.values()];
}

/** The outcome of a record that was refused. @throws any other error: no further record can be saved either */
export function failureOf(record: ResolvedRecord, error: unknown): LoadOutcome {
  if (!(error instanceof ServiceError)) throw error;
  if (!isRefused(error)) throw error;
  const mayPass = ['LinkValidationError', 'DoesNotExistError', 'LinkExistsError'].includes(error.type);
  return { action: 'failed', problems: problemsOf(record, error), mayPass };
}
