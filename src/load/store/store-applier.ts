import type { Provenance } from '../../access/audit.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { cloneDocument } from '../../document/document.ts';
import { load as loadDocument } from '../../document/load/load.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Applier, earlierAction, type LoadOfApplier, type LoadOutcome } from '../applier.ts';
import { tryOut } from '../check-load.ts';
import {
  entryKey,
  isAsLeft,
  type KnownRecord,
  knownKeys,
  type LedgerEntry,
  type Version,
  writeLedger,
} from '../ledger.ts';
import type { LoadProblem } from '../problems.ts';
import type { KeyedRecord } from '../record.ts';
import { announceWrites } from './announce-writes.ts';
import { checkLoadedLinks } from './check-links.ts';
import { type PreparedRecord, prepareRecord, problemOf } from './prepare-record.ts';
import { raiseCounters } from './raise-counters.ts';
import { cachesOf, storableDoctype } from './storable.ts';
import type { StoreOptions } from './store-options.ts';
import { undoStored } from './undo-stored.ts';
import {
  changeTo,
  cleanDocument,
  existingVersions,
  isFault,
  type Write,
  writeDocuments,
} from './write-documents.ts';

/**
 * The loading operation: stores documents as they were, with their names, owners, times and docstatus, without hooks.
 * Records that the database refuses are found by halving their batch.
 */
export function storeApplier(options: StoreOptions): (of: LoadOfApplier) => Applier {
  return (of) => {
    const store = new Store(options, of);
    return {
      batch: LIMITS.loadBatch,
      apply: (records) => store.apply(records),
      finish: () => checkLoadedLinks(options.site, of),
      undo: (entries) => undoStored(options, of, entries),
    };
  };
}

/** Why `keepChanged` refuses a record. */
export const CHANGED_HERE = 'The document was changed here since it was loaded';
export const DELETED_HERE = 'The document was deleted here since it was loaded';
export const EXISTS_HERE = 'A document of this name exists';

/** A record of the batch at hand, and the place of its outcome. */
interface Placed {
  readonly prepared: PreparedRecord;
  readonly at: number;
}

class Store {
  readonly #options: StoreOptions;
  readonly #of: LoadOfApplier;

  constructor(options: StoreOptions, of: LoadOfApplier) {
    this.#options = options;
    this.#of = of;
  }

  /** Halves a batch that the database refuses, until each bad record is alone. */
  async apply(records: readonly KeyedRecord[]): Promise<LoadOutcome[]> {
    const { site, user, origin, events, isCheck } = this.#options;
    try {
      const provenance: Provenance = events ? origin : { ...origin, isImport: true };
      const store = (ctx: Context) => this.#storeAll(ctx, records);
      if (isCheck) return await tryOut((work) => unitOfWork(site, user, work, provenance), store);
      return await unitOfWork(site, user, store, provenance);
    } catch (error) {
      if (!isFault(error)) throw error;
      const [only, ...others] = records;
      if (!only) throw error;
      if (others.length === 0) return [failed([problemOf(only, 'error', '', null, error.message)])];
      const half = records.length >> 1;
      return [...(await this.apply(records.slice(0, half))), ...(await this.apply(records.slice(half)))];
    }
  }

  async #storeAll(ctx: Context, records: readonly KeyedRecord[]): Promise<LoadOutcome[]> {
    await this.#of.hold(ctx.db);
    const outcomes: (LoadOutcome | undefined)[] = [];
    const known = await knownKeys(ctx.db, this.#of.load, records);
    const defaults = { user: this.#options.user.name, now: timestamp(ctx.site) };
    // Documents of one name one after the other.
    const waves: Map<DocType, Map<string, Placed>>[] = [];
    for (const [at, record] of records.entries()) {
      const earlier = known.get(entryKey(record));
      if (earlier?.hash === record.hash) {
        outcomes[at] = { action: earlierAction(earlier), problems: [] };
        continue;
      }
      const prepared = this.#prepare(ctx, record, defaults);
      if (!('doc' in prepared)) outcomes[at] = failed(prepared);
      else place(waves, { prepared, at });
    }
    for (const wave of waves) {
      for (const [doctype, placed] of wave) await this.#storeGroup(ctx, doctype, placed, known, outcomes);
    }
    return outcomes.map((outcome) => outcome ?? failed([]));
  }

  #prepare(
    ctx: Context,
    record: KeyedRecord,
    defaults: { readonly user: string; readonly now: string },
  ): PreparedRecord | readonly LoadProblem[] {
    try {
      const doctype = storableDoctype(ctx, record.doctype, this.#options.isCommandLine === true);
      if (record.key === '' || record.key.length > LIMITS.loadKeyLength) {
        return [problemOf(record, 'error', '', null, `A key has 1 to ${LIMITS.loadKeyLength} characters`)];
      }
      return prepareRecord(ctx, doctype, record, defaults);
    } catch (error) {
      if (error instanceof ServiceError) return [problemOf(record, 'error', '', null, error.message)];
      throw error;
    }
  }

  async #storeGroup(
    ctx: Context,
    doctype: DocType,
    placed: ReadonlyMap<string, Placed>,
    known: Map<string, KnownRecord>,
    outcomes: (LoadOutcome | undefined)[],
  ): Promise<void> {
    const existing = await existingVersions(ctx, doctype, [...placed.keys()]);
    const [inserts, updates]: [Write[], Write[]] = [[], []];
    const entries: LedgerEntry[] = [];
    const notes: LoadProblem[] = [];
    for (const [name, { prepared, at }] of placed) {
      const { record } = prepared;
      const exists = existing.has(name);
      const earlier = known.get(entryKey(record));
      const former = earlier?.name === name ? earlier : null;
      const own = former && this.#isOwn(record, former) ? former : null;
      const refusal = this.#refusal(doctype, existing.get(name), own);
      if (refusal !== null) {
        if (refusal !== 'skip') outcomes[at] = failed([problemOf(record, 'error', 'name', name, refusal)]);
        else {
          // The entry of a document that this load has stored stays as it is, for an undo.
          if (!former) entries.push(this.#entry(prepared, 'skipped', { revision: 0, creation: null }, null));
          outcomes[at] = { action: 'skipped', problems: [] };
        }
        continue;
      }
      const write = await writeOf(ctx, prepared, exists, existing.get(name)?.revision ?? 0);
      const { before, doc, revision } = write.change;
      if (before && isSame(before, doc)) {
        entries.push(this.#entry(prepared, 'unchanged', versionIn(write, revision), null));
        outcomes[at] = { action: 'unchanged', problems: [] };
        continue;
      }
      stampUpdate(write, this.#options.user.name, timestamp(ctx.site));
      const found = cleanDocument(ctx, write);
      if (found.some(({ kind }) => kind === 'error')) {
        outcomes[at] = failed(found);
        continue;
      }
      notes.push(...found);
      const action = before ? 'updated' : 'inserted';
      (before ? updates : inserts).push(write);
      const image = before ? JSON.stringify(before) : null;
      entries.push(this.#entry(prepared, action, versionIn(write, revision + 1), image));
      outcomes[at] = { action, problems: found };
    }
    await writeDocuments(ctx, doctype, inserts);
    await writeDocuments(ctx, doctype, updates);
    await raiseCounters(
      ctx,
      doctype,
      inserts.map(({ change }) => change.doc),
    );
    await writeLedger(ctx.db, this.#of.load, entries);
    for (const entry of entries) known.set(entryKey(entry), entry);
    await this.#of.note(ctx.db, notes);
    if (this.#options.events) announceWrites(ctx, [...inserts, ...updates]);
    const cache = cachesOf(doctype);
    if (cache !== null) ctx.dropCaches(cache);
  }

  /** True when an entry is of this record in an earlier run, not of another record of this name in the same source. */
  #isOwn({ row = 0 }: KeyedRecord, entry: KnownRecord): boolean {
    return this.#options.keepChanged === true || this.#options.mode !== 'Insert' || entry.row === row;
  }

  /** Why a document is not stored; `skip`: it stays as it is, and that is no error. */
  #refusal(doctype: DocType, version: Version | undefined, own: KnownRecord | null): string | null {
    const { mode, skipExisting, keepChanged } = this.#options;
    const exists = version !== undefined;
    if (own && keepChanged && !exists) return DELETED_HERE;
    if (own && keepChanged && version && !isAsLeft(own, version)) return CHANGED_HERE;
    if (doctype.issingle || own) return null;
    if (exists && mode === 'Insert') return skipExisting ? 'skip' : EXISTS_HERE;
    return !exists && mode === 'Update' ? 'There is no document of this name' : null;
  }

  #entry(
    { record, doc }: PreparedRecord,
    action: LedgerEntry['action'],
    version: Version,
    before: string | null,
  ): LedgerEntry {
    const { doctype, key, hash, row = 0 } = record;
    return { doctype, key, seq: this.#of.next(), row, hash, action, name: doc.name, ...version, before };
  }
}

function place(waves: Map<DocType, Map<string, Placed>>[], placed: Placed): void {
  const { doctype, doc } = placed.prepared;
  for (let index = 0; ; index += 1) {
    const wave = waves[index] ?? new Map<DocType, Map<string, Placed>>();
    waves[index] = wave;
    const group = wave.get(doctype) ?? new Map<string, Placed>();
    wave.set(doctype, group);
    if (group.has(doc.name)) continue;
    group.set(doc.name, placed);
    return;
  }
}

/** What the record states, over the document as it is. */
async function writeOf(
  ctx: Context,
  prepared: PreparedRecord,
  exists: boolean,
  revision: number,
): Promise<Write> {
  const { doctype, doc, given } = prepared;
  const stored = exists ? await loadDocument(ctx, doctype, doc.name) : null;
  if (!stored) return { prepared, change: changeTo(doctype, doc, null, 0) };
  const tables = new Set(doctype.tables.map(({ fieldname }) => fieldname));
  const merged = cloneDocument(stored.doc, tables);
  for (const column of given) if (column in doc && column !== 'name') merged[column] = doc[column] ?? null;
  return { prepared, change: changeTo(doctype, merged, stored.doc, revision) };
}

/** The version of a written document, with this revision. */
function versionIn({ change: { doctype, doc } }: Write, revision: number): Version {
  return doctype.istable ? { revision: 0, creation: null } : { revision, creation: doc.creation };
}

/** A change that does not say when it was made, and by whom, is of now and of the user of the load. */
function stampUpdate({ prepared: { given }, change }: Write, user: string, now: string): void {
  if (!change.before) return;
  if (!given.has('modified')) change.doc.modified = now;
  if (!given.has('modified_by')) change.doc.modified_by = user;
}

function isSame(before: object, doc: object): boolean {
  return JSON.stringify(before) === JSON.stringify(doc);
}

function failed(problems: readonly LoadProblem[]): LoadOutcome {
  return { action: 'failed', problems };
}
