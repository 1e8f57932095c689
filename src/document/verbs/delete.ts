import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import { checkBackLinks } from '../check/back-links.ts';
import { checkRevision, type Expectation } from '../check/latest.ts';
import type { Context } from '../contract.ts';
import { runHook, runHooks } from '../controller.ts';
import { permittedDoctype } from '../load/permit.ts';
import { revertNaming } from '../naming/naming.ts';
import { announce } from '../write/announce.ts';
import { deleteRows } from '../write/rows.ts';
import { openStored } from '../write/save.ts';
import { leaveTree } from '../write/tree.ts';

/**
 * Deletes a document with its rows and secrets.
 * @throws ServiceError PermissionError, DoesNotExistError, PreconditionFailedError, ValidationError when it
 * is submitted, LinkExistsError naming the documents that link to it
 */
export async function deleteDocument(
  ctx: Context,
  doctypeName: string,
  name: string,
  expectation: Expectation = {},
): Promise<void> {
  const doctype = permittedDoctype(ctx, doctypeName, 'delete');
  const stored = await openStored(ctx, doctype, name, 'delete', 'remove');
  const { doc, revision } = stored;
  if (doctype.issingle)
    throw new ServiceError('ValidationError', `${doctype.name} cannot be deleted: it is a single`);
  checkRevision(ctx, stored, expectation);
  if (doc.docstatus === 1) {
    throw new ServiceError(
      'ValidationError',
      'Submitted Record cannot be deleted. You must cancel this Record first.',
    );
  }
  await finishDelete(ctx, {
    action: 'delete',
    doctype,
    before: doc,
    doc,
    revision,
    input: {},
    problems: [],
  });
}

/** The second part of a deletion, after the document is locked and checked. */
export async function finishDelete(ctx: Context, change: Change): Promise<void> {
  await runHooks(ctx, change, ['onTrash', 'onChange']);
  await leaveTree(ctx, change);
  await checkBackLinks(ctx, change);
  await revertNaming(ctx, change.doctype, change.doc);
  await deleteRows(ctx, change);
  await runHook(ctx, change, 'afterDelete');
  await announce(ctx, change, [{ event: 'on_trash' }]);
}
