import { ident, sql } from '../../db/sql.ts';
import type { Document } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import type { Context } from '../../document/contract.ts';
import { lockClause } from '../../document/lock.ts';
import { cancelDocument } from '../../document/verbs/cancel.ts';
import { deleteDocument } from '../../document/verbs/delete.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { LoadOfApplier, UndoOutcome } from '../applier.ts';
import { keepSome } from '../keep-some.ts';
import { forgetEntries, keepEntries, type LedgerEntry, raiseRevisions } from '../ledger.ts';
import { importUnit, type SaveOptions } from './save-options.ts';
import { isRefused } from './save-problems.ts';

/**
 * Undoes saved records through the verbs, as the user: new documents are deleted, updated ones get their former values.
 * One that has to stay since the load was marked is kept now, and so is one that the verbs refuse to change or delete.
 */
export async function undoSaved(
  options: SaveOptions,
  of: LoadOfApplier,
  entries: readonly LedgerEntry[],
): Promise<UndoOutcome> {
  // Many at once, so that they share commits. A document whose turn is too early goes after those that link to it.
  const documents = [...Map.groupBy(entries, ({ name }) => name).values()];
  const first = await Promise.all(documents.map((some) => undoDocument(options, of, some)));
  let undone = 0;
  for (const { done, left } of first) {
    undone += done;
    for (const entry of left) if (await undoOrKeep(options, of, entry)) undone += 1;
  }
  return { undone, kept: entries.length - undone };
}

/** Undoes the entries of one document, the newest first, up to the first that fails. */
async function undoDocument(
  options: SaveOptions,
  of: LoadOfApplier,
  entries: readonly LedgerEntry[],
): Promise<{ readonly done: number; readonly left: readonly LedgerEntry[] }> {
  let done = 0;
  for (const [at, entry] of entries.entries()) {
    try {
      if (await undoOne(options, of, entry)) done += 1;
    } catch {
      return { done, left: entries.slice(at) };
    }
  }
  return { done, left: [] };
}

async function undoOrKeep(options: SaveOptions, of: LoadOfApplier, entry: LedgerEntry): Promise<boolean> {
  try {
    return await undoOne(options, of, entry);
  } catch (error) {
    if (!(error instanceof ServiceError && isRefused(error))) throw error;
    await importUnit(options, async (ctx) => {
      await of.hold(ctx.db);
      await keep(ctx, of, entry, error.message);
    });
    return false;
  }
}

/** Resolves to false for an entry that is kept. @throws the errors of the verbs */
function undoOne(options: SaveOptions, of: LoadOfApplier, entry: LedgerEntry): Promise<boolean> {
  return importUnit(options, async (ctx) => {
    await of.hold(ctx.db);
    const { doctype, action, name } = entry;
    const lock = action === 'inserted' ? 'remove' : 'change';
    const isSaved = action === 'inserted' || action === 'updated';
    const stored = isSaved ? await locked(ctx, options, name, lock) : undefined;
    if (stored) {
      if ((await keepSome(ctx, of, [entry])).length === 0) return false;
      if (entry.before === null) await removeNew(ctx, doctype, name, stored);
      else if (!(await bringBack(ctx, options, of, entry, entry.before, stored))) return false;
    }
    await forgetEntries(ctx.db, of.load, [entry]);
    return true;
  });
}

interface Stored {
  readonly revision: number;
  readonly docstatus: number;
}

async function locked(
  ctx: Context,
  { doctype }: SaveOptions,
  name: string,
  lock: 'change' | 'remove',
): Promise<Stored | undefined> {
  const row = await ctx.db.get(
    sql`select "_revision", "docstatus" from ${ident(doctype.name)}
        where "name" = ${nameKey(doctype, name)}${lockClause(ctx.db.dialect, lock)}`,
  );
  return row && { revision: Number(row['_revision']), docstatus: Number(row['docstatus'] ?? 0) };
}

async function removeNew(ctx: Context, doctype: string, name: string, { docstatus }: Stored): Promise<void> {
  if (docstatus === 1) await cancelDocument(ctx, doctype, name);
  await deleteDocument(ctx, doctype, name);
}

/** Gives a document its values before this entry. Resolves to false for one that is kept. */
async function bringBack(
  ctx: Context,
  options: SaveOptions,
  of: LoadOfApplier,
  entry: LedgerEntry,
  before: string,
  { revision, docstatus }: Stored,
): Promise<boolean> {
  const image = JSON.parse(before) as Document;
  if (Number(image.docstatus ?? 0) !== docstatus) {
    await keep(ctx, of, entry, 'The import has submitted or cancelled it, which cannot be undone');
    return false;
  }
  await updateDocument(ctx, entry.doctype, entry.name, formerValues(image, options.doctype));
  // The row before left the revision before this one, unless others changed the document in between.
  const now = await locked(ctx, options, entry.name, 'change');
  if (now) await raiseRevisions(ctx.db, of.load, entry, now.revision - (revision - 1));
  return true;
}

function formerValues(image: Document, { fields }: SaveOptions['doctype']): Fields {
  const kept = fields.filter(
    ({ fieldname, fieldtype }) => fieldtype !== 'Password' && image[fieldname] !== undefined,
  );
  return Object.fromEntries(kept.map(({ fieldname }) => [fieldname, image[fieldname]]));
}

async function keep(ctx: Context, of: LoadOfApplier, entry: LedgerEntry, reason: string): Promise<void> {
  const { doctype, key, row } = entry;
  await keepEntries(ctx.db, of.load, [entry]);
  await of.note(ctx.db, [{ kind: 'undo', doctype, key, row, field: '', value: '', reason }]);
}
