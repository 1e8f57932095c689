import { requirePermission } from '../../access/permission.ts';
import { renameSecrets } from '../../access/secret.ts';
import { ident, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import { checkName } from '../check/name.ts';
import type { Context } from '../contract.ts';
import { runHook } from '../controller.ts';
import { cloneDocument, rowsOf } from '../document.ts';
import { writableDoctype } from '../load/permit.ts';
import { autonameField } from '../naming/naming.ts';
import { stampUpdate } from '../stamp.ts';
import { announce } from '../write/announce.ts';
import { moveReferences, takeMovedLinks } from '../write/references.ts';
import { openStored } from '../write/save.ts';
import { lockTree } from '../write/tree.ts';
import { labelUnique } from '../write/unique.ts';
import { mergeDocument } from './merge.ts';

/** Options of a rename. */
export interface RenameOptions {
  /** The new name belongs to another document. It takes over all references to this one, which is deleted. */
  readonly merge?: boolean;
  /** Allows it even if the doctype does not: for code that knows the uses of the name. */
  readonly force?: boolean;
}

/** The message for the person who renamed a document. */
export function renamedMessage(oldName: string, newName: string): string {
  return `Document renamed from ${oldName} to ${newName}`;
}

/**
 * Renames a document everywhere: its rows, every link to it, its attachments and secrets. Documents that link
 * to it get a new revision, but keep their `modified`. Resolves to the new name as stored.
 * @throws ServiceError PermissionError, DoesNotExistError, NameError, ValidationError when the doctype does
 * not allow it or the name is taken; with `merge` the errors of `mergeDocument`
 */
export async function renameDocument(
  ctx: Context,
  doctypeName: string,
  oldName: string,
  newName: string,
  options: RenameOptions = {},
): Promise<string> {
  const doctype = writableDoctype(ctx, doctypeName, 'rename');
  requirePermission(ctx.user, doctype, 'write');
  await lockTree(ctx, doctype);
  const { doc: before, revision } = await openStored(ctx, doctype, oldName, 'write', 'remove');
  if (!(doctype.allow_rename || options.force) || doctype.issingle) {
    throw new ServiceError('ValidationError', `${doctype.name} not allowed to be renamed`);
  }
  const name = checkName(doctype, newName);
  if (name === before.name) {
    throw new ServiceError('ValidationError', 'No changes made because old and new name are the same.');
  }
  if (options.merge) return mergeDocument(ctx, doctype, before, revision, name);
  await requireFree(ctx, doctype, name);

  const doc = cloneDocument(before);
  const change: Change = { action: 'rename', doctype, before, doc, revision, input: {}, problems: [] };
  doc.name = name;
  await runHook(ctx, change, 'beforeRename');
  if (doc.name !== name) await takeHooksName(ctx, change);
  stampUpdate(ctx, change);
  const named = autonameField(doctype);
  if (named !== null) doc[named] = doc.name;
  for (const table of doctype.tables) for (const row of rowsOf(doc, table.fieldname)) row.parent = doc.name;

  await renameRow(ctx, change, named);
  await moveReferences(ctx, doctype, before.name, doc.name);
  await renameSecrets(ctx.site, ctx.db, doctype.name, before.name, doc.name);
  await takeMovedLinks(ctx, doctype, doc);
  await announce(ctx, change, [{ event: 'after_rename', hook: 'afterRename' }]);
  return doc.name;
}

async function requireFree(ctx: Context, doctype: DocType, name: string): Promise<void> {
  const taken = await ctx.db.get(sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${name}`);
  if (taken) {
    throw new ServiceError(
      'ValidationError',
      `Another ${doctype.name} with name ${name} exists, select another name`,
    );
  }
}

async function takeHooksName(ctx: Context, { doctype, before, doc }: Change): Promise<void> {
  doc.name = checkName(doctype, doc.name);
  if (doc.name !== before?.name) return requireFree(ctx, doctype, doc.name);
  throw new ServiceError('ValidationError', 'No changes made because old and new name are the same.');
}

async function renameRow(ctx: Context, change: Change, named: string | null): Promise<void> {
  const { doctype, doc, before } = change;
  const field = named === null ? sql`` : sql`, ${ident(named)} = ${doc.name}`;
  const row = sql`update ${ident(doctype.name)} set "name" = ${doc.name}, "modified" = ${doc.modified},
    "modified_by" = ${doc.modified_by}, "_revision" = "_revision" + 1${field} where "name" = ${before?.name ?? null}`;
  await labelUnique(doctype, () => ctx.db.run(row));
  for (const child of new Set(doctype.tables.map((table) => table.options))) {
    await ctx.db.run(
      sql`update ${ident(child)} set "parent" = ${doc.name}
          where "parent" = ${before?.name ?? null} and "parenttype" = ${doctype.name}`,
    );
  }
}
