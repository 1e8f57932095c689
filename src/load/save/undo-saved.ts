import { ident, sql } from '../../db/sql.ts';
import type { Document } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import type { Context } from '../../document/contract.ts';
import { cancelDocument } from '../../document/verbs/cancel.ts';
import { deleteDocument } from '../../document/verbs/delete.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { LoadOfApplier, UndoOutcome } from '../applier.ts';
import {
  entryKey,
  forgetEntries,
  keepEntries,
  knownKeys,
  type LedgerEntry,
  raiseRevisions,
} from '../ledger.ts';
import { importUnit, type SaveOptions } from './save-options.ts';
import { isRefused } from './save-problems.ts';

/**
 * Undoes saved records through the verbs, as the user: new documents are deleted, updated ones get their former values.
 * One that has changed since stays, and so does one that the verbs refuse to delete.
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
    for (const [at, entry] of left.entries()) {
      if (await undoOrKeep(options, of, entry, left.slice(at + 1))) undone += 1;
    }
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
      if (await undoOne(options, of, entry, entries.slice(at + 1))) done += 1;
    } catch {
      return { done, left: entries.slice(at) };
    }
  }
  return { done, left: [] };
}

/** Resolves to false for a document that has changed since. @throws the errors of the verbs */
function undoOne(
  options: SaveOptions,
  of: LoadOfApplier,
  entry: LedgerEntry,
  older: readonly LedgerEntry[],
): Promise<boolean> {
  return importUnit(options, async (ctx) => {
    await of.hold(ctx.db);
    const reason = await undoInUnit(ctx, options, of, entry, older);
    if (reason === null) await forgetEntries(ctx.db, of.load, [entry]);
    else await keep(ctx, of, entry, reason);
    return reason === null;
  });
}

async function undoOrKeep(
  options: SaveOptions,
  of: LoadOfApplier,
  entry: LedgerEntry,
  older: readonly LedgerEntry[],
): Promise<boolean> {
  try {
    return await undoOne(options, of, entry, older);
  } catch (error) {
    if (!(error instanceof ServiceError && isRefused(error))) throw error;
    await importUnit(options, async (ctx) => {
      await of.hold(ctx.db);
      await keep(ctx, of, entry, error.message);
    });
    return false;
  }
}

/** Resolves to the reason why the document stays; null when it was undone. */
async function undoInUnit(
  ctx: Context,
  { doctype }: SaveOptions,
  of: LoadOfApplier,
  entry: LedgerEntry,
  older: readonly LedgerEntry[],
): Promise<string | null> {
  const { action, name, before } = entry;
  if (action !== 'inserted' && action !== 'updated') return null;
  // The undo of a later row of this document may have passed its revision on.
  const { revision = entry.revision } =
    (await knownKeys(ctx.db, of.load, [entry])).get(entryKey(entry)) ?? {};
  const current = () =>
    ctx.db.get(
      sql`select "_revision", "docstatus" from ${ident(doctype.name)} where "name" = ${nameKey(doctype, name)}`,
    );
  const row = await current();
  if (!row) return null;
  if (Number(row['_revision']) !== revision) return 'The document has changed since';
  if (before !== null) {
    const image = JSON.parse(before) as Document;
    if (Number(image.docstatus ?? 0) !== Number(row['docstatus'] ?? 0)) {
      return 'The import has submitted or cancelled it, which cannot be undone';
    }
    await updateDocument(ctx, doctype.name, name, formerValues(image, doctype));
    // The row before left the revision before this one, unless others changed the document in between.
    const raised = Number((await current())?.['_revision']) - (revision - 1);
    if (older.length > 0) await raiseRevisions(ctx.db, of.load, older, raised);
    return null;
  }
  if (row['docstatus'] === 1) await cancelDocument(ctx, doctype.name, name);
  await deleteDocument(ctx, doctype.name, name);
  return null;
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
