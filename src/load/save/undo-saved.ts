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
import { forgetEntries, keepEntries, type LedgerEntry } from '../ledger.ts';
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
  const first = await Promise.allSettled(entries.map((entry) => undoOne(options, of, entry)));
  let undone = 0;
  for (const [at, result] of first.entries()) {
    const entry = entries[at];
    if (result.status === 'fulfilled') undone += result.value ? 1 : 0;
    else if (entry && (await undoOrKeep(options, of, entry))) undone += 1;
  }
  return { undone, kept: entries.length - undone };
}

/** Resolves to false for a document that has changed since. @throws the errors of the verbs */
function undoOne(options: SaveOptions, of: LoadOfApplier, entry: LedgerEntry): Promise<boolean> {
  return importUnit(options, async (ctx) => {
    const reason = await undoInUnit(ctx, options, entry);
    if (reason === null) await forgetEntries(ctx.db, of.load, [entry]);
    else await keep(ctx, of, entry, reason);
    return reason === null;
  });
}

async function undoOrKeep(options: SaveOptions, of: LoadOfApplier, entry: LedgerEntry): Promise<boolean> {
  try {
    return await undoOne(options, of, entry);
  } catch (error) {
    if (!(error instanceof ServiceError && isRefused(error))) throw error;
    await importUnit(options, (ctx) => keep(ctx, of, entry, error.message));
    return false;
  }
}

/** Resolves to the reason why the document stays; null when it was undone. */
async function undoInUnit(
  ctx: Context,
  { doctype }: SaveOptions,
  entry: LedgerEntry,
): Promise<string | null> {
  const { action, name, revision, before } = entry;
  if (action !== 'inserted' && action !== 'updated') return null;
  const row = await ctx.db.get(
    sql`select "_revision", "docstatus" from ${ident(doctype.name)} where "name" = ${nameKey(doctype, name)}`,
  );
  if (!row) return null;
  if (Number(row['_revision']) !== revision) return 'The document has changed since';
  if (before !== null) {
    const image = JSON.parse(before) as Document;
    if (Number(image.docstatus ?? 0) !== Number(row['docstatus'] ?? 0)) {
      return 'The import has submitted or cancelled it, which cannot be undone';
    }
    await updateDocument(ctx, doctype.name, name, formerValues(image, doctype));
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
