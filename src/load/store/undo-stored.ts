import type { DocType, Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import { newDocument } from '../../document/document.ts';
import { load as loadDocument } from '../../document/load/load.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import type { LoadOfApplier, UndoOutcome } from '../applier.ts';
import { keepSome } from '../keep-some.ts';
import { forgetEntries, keepEntries, type LedgerEntry } from '../ledger.ts';
import { deleteDocuments } from './delete-documents.ts';
import { problemOf } from './prepare-record.ts';
import { cachesOf, storableDoctype } from './storable.ts';
import type { StoreOptions } from './store-options.ts';
import { changeTo, existingVersions, isFault, type Write, writeDocuments } from './write-documents.ts';

/**
 * Undoes entries in one transaction: deletes documents that were new, and gives those that existed their former
 * values. Those that have to stay since they were marked are kept now.
 */
export async function undoStored(
  options: StoreOptions,
  of: LoadOfApplier,
  entries: readonly LedgerEntry[],
): Promise<UndoOutcome> {
  const { site, user, origin } = options;
  try {
    return await unitOfWork(site, user, (ctx) => undoAll(ctx, options, of, entries), {
      ...origin,
      isImport: true,
    });
  } catch (error) {
    if (!isFault(error)) throw error;
    const [only] = entries;
    if (only && entries.length === 1) {
      return site.database.transaction(async (db) => {
        await of.hold(db);
        await keepEntries(db, of.load, [only]);
        await of.note(db, [problemOf(only, 'undo', '', null, error.message)]);
        return { undone: 0, kept: 1 };
      });
    }
    const half = entries.length >> 1;
    const first = await undoStored(options, of, entries.slice(0, half));
    const second = await undoStored(options, of, entries.slice(half));
    return { undone: first.undone + second.undone, kept: first.kept + second.kept };
  }
}

async function undoAll(
  ctx: Context,
  { isCommandLine = false }: StoreOptions,
  of: LoadOfApplier,
  entries: readonly LedgerEntry[],
): Promise<UndoOutcome> {
  await of.hold(ctx.db);
  const stored = entries.filter(({ action }) => action === 'inserted' || action === 'updated');
  const there = new Set<LedgerEntry>();
  for (const [name, some] of Map.groupBy(stored, ({ doctype }) => doctype)) {
    // The documents went with their doctype, if it is gone.
    if (!ctx.doctypes.find(name)) continue;
    // Who may not load documents that give access takes none back: the undo fails, and goes on at the command line.
    const doctype = storableDoctype(ctx, name, isCommandLine);
    const names = some.map((entry) => entry.name);
    const versions = await existingVersions(ctx, doctype, names, 'remove');
    for (const entry of some) if (versions.has(entry.name)) there.add(entry);
  }
  const left = await keepSome(ctx, of, entries);
  const groups = Map.groupBy(
    left.filter((entry) => there.has(entry)),
    ({ doctype }) => doctype,
  );
  for (const [name, some] of groups) {
    const doctype = ctx.doctypes.get(name);
    const [news, olds] = [some.filter(isNew), some.filter((entry) => !isNew(entry))];
    await restore(ctx, doctype, olds);
    await deleteDocuments(ctx, doctype, news);
    const cache = cachesOf(doctype);
    if (cache !== null) ctx.dropCaches(cache);
  }
  await forgetEntries(ctx.db, of.load, left);
  return { undone: left.length, kept: entries.length - left.length };
}

function isNew({ before }: LedgerEntry): boolean {
  return before === null;
}

/** Gives documents the values of their before-images, in the fields that the doctype still has. */
async function restore(ctx: Context, doctype: DocType, entries: readonly LedgerEntry[]): Promise<void> {
  const writes: Write[] = [];
  for (const entry of entries) {
    const stored = await loadDocument(ctx, doctype, entry.name);
    if (!stored) continue;
    const image = JSON.parse(entry.before ?? '{}') as Document;
    const doc = newDocument(doctype);
    for (const key of Object.keys(doc)) if (image[key] !== undefined) doc[key] = image[key] ?? null;
    if (doctype.istable)
      for (const key of ['parent', 'parenttype', 'parentfield']) doc[key] = image[key] ?? null;
    const { hash, ...record } = entry;
    const prepared = { record: { ...record, hash, values: {} }, doctype, doc, given: new Set<string>() };
    writes.push({ prepared, change: changeTo(doctype, doc, stored.doc, stored.revision) });
  }
  await writeDocuments(ctx, doctype, writes);
}
