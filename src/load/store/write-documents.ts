import { ident, join, sql } from '../../db/sql.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import { OLD_PARENT_FIELD } from '../../doctype/tree.ts';
import type { Change } from '../../document/change.ts';
import { cleanTexts } from '../../document/check/html.ts';
import { checkSize } from '../../document/check/size.ts';
import type { Context } from '../../document/contract.ts';
import { rowsOf } from '../../document/document.ts';
import { layoutOf } from '../../document/layout.ts';
import { lockClause } from '../../document/lock.ts';
import { insertBatches } from '../../document/write/insert-batches.ts';
import { storePasswords } from '../../document/write/passwords.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import { type Version, versionOf } from '../ledger.ts';
import type { LoadProblem } from '../problems.ts';
import type { PreparedRecord } from './prepare-record.ts';
import { problemOf } from './prepare-record.ts';

/** A document to store, with its state before. */
export interface Write {
  readonly prepared: PreparedRecord;
  readonly change: Change;
}

/** The versions of the documents that exist, by name; empty for rows of child tables. Locks them. */
export async function existingVersions(
  ctx: Context,
  doctype: DocType,
  names: readonly string[],
  lock: 'change' | 'remove' = 'change',
): Promise<Map<string, Version>> {
  const keys = join(names.map((name) => sql`${nameKey(doctype, name)}`));
  const version = doctype.istable ? sql`0 as "revision", null` : sql`"_revision" as "revision", "creation"`;
  const rows = await ctx.db.all(
    sql`select "name", ${version} as "creation" from ${ident(doctype.name)} where "name" in (${keys})
        ${lockClause(ctx.db.dialect, lock)}`,
  );
  return new Map(rows.map((row) => [String(row['name']), versionOf(row)]));
}

/** A change that stores a document as it is. */
export function changeTo(doctype: DocType, doc: Document, before: Document | null, revision: number): Change {
  const action = before ? 'update' : 'create';
  return { action, doctype, before, doc, revision, input: {}, problems: [] };
}

/**
 * Makes the texts of a document safe, and checks its size. Resolves to what changed, or to problems of the kind
 * `error`.
 */
export function cleanDocument(ctx: Context, { prepared, change }: Write): readonly LoadProblem[] {
  const { record } = prepared;
  const place = (holder: Document | ChildRow, fieldname: string) =>
    'parentfield' in holder && holder !== change.doc ? `${holder.parentfield}.${fieldname}` : fieldname;
  const cleaned = cleanTexts(ctx, change).map(({ holder, fieldname, text }) =>
    problemOf(record, 'changed', place(holder, fieldname), text, 'Unsafe HTML was taken out'),
  );
  const faults = change.problems.map(({ holder, fieldname, error }) =>
    problemOf(record, 'error', place(holder, fieldname), null, error.message),
  );
  try {
    checkSize(change);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    faults.push(problemOf(record, 'error', '', null, error.message));
  }
  return faults.length > 0 ? faults : cleaned;
}

/** Stores documents of one doctype with their rows and secrets: new ones, or changed ones. */
export async function writeDocuments(
  ctx: Context,
  doctype: DocType,
  writes: readonly Write[],
): Promise<void> {
  if (writes.length === 0) return;
  const secrets = hasPasswords(ctx, doctype) ? writes.map(({ change }) => storePasswords(ctx, change)) : [];
  const docs = writes.map(({ change }) => change.doc);
  if (doctype.is_tree) for (const doc of docs) placeInTree(doctype, doc);
  const side = sideColumnsOf(doctype).map(({ fieldname }) => fieldname);
  const also = docs.some((doc) => side.some((column) => doc[column])) ? side : [];
  const isUpdate = writes[0]?.change.before !== null;
  await insertBatches(ctx, doctype, docs, { replace: isUpdate, also });
  for (const table of doctype.tables) {
    const changed = writes
      .map(({ change }) => change)
      .filter(({ doc, before }) => !before || doc[table.fieldname] !== before[table.fieldname])
      .map(({ doc }) => doc);
    const child = ctx.doctypes.get(table.options);
    if (isUpdate) await deleteRowsOf(ctx, doctype, child, table.fieldname, changed);
    await insertBatches(
      ctx,
      child,
      changed.flatMap((doc) => rowsOf(doc, table.fieldname)),
    );
  }
  for (const store of secrets) await store();
}

/** Removes the rows of one table of these documents. */
export async function deleteRowsOf(
  ctx: Context,
  doctype: DocType,
  child: DocType,
  fieldname: string,
  docs: readonly Pick<Document, 'name'>[],
): Promise<void> {
  if (docs.length === 0) return;
  await ctx.db.run(
    sql`delete from ${ident(child.name)} where "parent" in (${join(docs.map(({ name }) => sql`${name}`))})
        and "parenttype" = ${doctype.name} and "parentfield" = ${fieldname}`,
  );
}

function hasPasswords(ctx: Context, doctype: DocType): boolean {
  return [doctype, ...doctype.tables.map(({ options }) => ctx.doctypes.get(options))].some(
    (one) => layoutOf(one).passwords.length > 0,
  );
}

// The parent is checked at the end of the load, with all links.
function placeInTree(doctype: DocType, doc: Document): void {
  doc[OLD_PARENT_FIELD] = doc[doctype.nsm_parent_field] ?? null;
}

/** True for an error that a record causes: without the record, the others can be stored. */
export function isFault(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status < 500 && error.type !== 'PermissionError';
}
