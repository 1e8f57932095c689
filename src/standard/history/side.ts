import { requirePermission } from '../../access/permission.ts';
import { ident, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import type { Context } from '../../document/contract.ts';
import { load, lockDocument } from '../../document/load/load.ts';
import { absent, requireRight } from '../../document/load/permit.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { carriesHistory } from './carriers.ts';

/** A locked document whose side columns are about to change. */
export interface Marked {
  readonly doctype: DocType;
  readonly doc: Document;
  readonly revision: number;
}

/**
 * Opens a document with a check of the user's right, and locks it until the transaction ends. Without the
 * right on any document, existing and missing documents are refused alike.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError for a document that cannot be
 * tagged, assigned or liked
 */
export async function openMarked(
  ctx: Context,
  doctypeName: string,
  name: string,
  right: 'read' | 'write',
): Promise<Marked> {
  const doctype = markable(ctx, doctypeName);
  requirePermission(ctx.user, doctype, right);
  const loaded = await lockDocument(ctx, doctype, name, 'change');
  if (!loaded) throw absent(ctx, doctype, name, right);
  await requireRight(ctx, doctype, right, loaded.doc);
  return { doctype, doc: loaded.doc, revision: loaded.revision };
}

/**
 * Opens a document to read its side columns, with the checks of `openMarked`.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError
 */
export async function readMarked(ctx: Context, doctypeName: string, name: string): Promise<Marked> {
  const doctype = markable(ctx, doctypeName);
  requirePermission(ctx.user, doctype, 'read');
  const loaded = await load(ctx, doctype, name);
  if (!loaded) throw absent(ctx, doctype, name, 'read');
  await requireRight(ctx, doctype, 'read', loaded.doc);
  return { doctype, ...loaded };
}

/**
 * A doctype whose documents have side columns.
 * @throws ServiceError ValidationError for any other
 */
export function markable(ctx: Context, doctypeName: string): DocType {
  const doctype = ctx.doctypes.get(doctypeName);
  if (sideColumnsOf(doctype).length > 0 && carriesHistory(doctype)) return doctype;
  throw new ServiceError('ValidationError', `${doctype.name} cannot be tagged, assigned or liked`);
}

/**
 * The documents of one call that changes several.
 * @throws ServiceError ValidationError for more than the limit
 */
export function fewDocuments(names: readonly string[]): ReadonlySet<string> {
  const few = new Set(names);
  if (few.size <= LIMITS.bulkItems) return few;
  throw new ServiceError('ValidationError', `A call can change at most ${LIMITS.bulkItems} documents`);
}

/**
 * Writes a side column; '' unsets it. It is not a save: `modified` stays, and only the change feed hears of
 * it. The revision increases, because the document has changed for clients with an ETag.
 */
export async function writeSide(
  ctx: Context,
  { doctype, doc, revision }: Marked,
  fieldname: string,
  value: string,
): Promise<void> {
  await ctx.db.run(
    sql`update ${ident(doctype.name)} set ${ident(fieldname)} = ${value === '' ? null : value},
        "_revision" = "_revision" + 1 where "name" = ${doc.name}`,
  );
  const marked = { doctype, doc: { ...doc, [fieldname]: value || null }, revision: revision + 1 };
  announceMark(ctx, marked, doc);
}

/** Tells the listeners of a change beside the document. */
export function announceMark(ctx: Context, { doctype, doc, revision }: Marked, before: Document = doc): void {
  ctx.events.push({ name: 'on_mark', doctype, doc, before, secrets: [], revision });
}

/** The users in a side column with a JSON list. */
export function usersIn({ doc }: Pick<Marked, 'doc'>, fieldname: '_assign' | '_liked_by'): readonly string[] {
  const text = doc[fieldname];
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : [];
  return Array.isArray(list) ? list.filter((user) => typeof user === 'string') : [];
}

/** The text of such a column; '' for an empty list. */
export function usersText(users: readonly string[]): string {
  return users.length === 0 ? '' : JSON.stringify(users);
}
