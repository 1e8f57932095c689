import { requirePermission } from '../access/permission.ts';
import { ident, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { announce } from './announce.ts';
import type { Change } from './change.ts';
import { checkName } from './check/name.ts';
import type { Context } from './context.ts';
import { runHook } from './controller.ts';
import { cloneDocument, rowsOf } from './document.ts';
import { mergeDocument } from './merge.ts';
import { autonameField } from './naming.ts';
import { writableDoctype } from './permit.ts';
import { moveReferences, takeMovedLinks } from './references.ts';
import { openStored } from './save.ts';
import { renameSecrets } from './secret.ts';
import { stampUpdate } from './stamp.ts';
import { lockTree } from './tree.ts';
import { labelUnique } from './unique.ts';

/** How a rename goes. */
export interface RenameOptions {
  /** The new name is that of another document, which takes over what refers to this one; this one is deleted. */
  readonly merge?: boolean;
  /** Also where the doctype does not allow it: for code that knows what a name stands for. */
  readonly force?: boolean;
}

/**
 * Gives a document another name, everywhere: its rows, every link to it, its attachments and secrets. Documents that
 * link to it get a new revision, but keep their `modified`. Resolves to the new name, as it is stored.
 * @throws ServiceError PermissionError, DoesNotExistError, NameError, ValidationError when the doctype does not allow
 *   it or the name is taken; with `merge` what `mergeDocument` refuses
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
