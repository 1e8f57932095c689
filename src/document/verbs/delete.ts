import type { DocType } from '../../doctype/doctype.ts';
import { errorAbout, isRefusal, ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import { checkBackLinks, linkedError } from '../check/back-links.ts';
import { checkRevision, type Expectation } from '../check/latest.ts';
import type { Context } from '../contract.ts';
import { runHook, runHooks } from '../controller.ts';
import type { Loaded } from '../document.ts';
import { addLeaving, type Named, removeLeaving } from '../leaving.ts';
import { lockDocument } from '../load/load.ts';
import { permittedDoctype } from '../load/permit.ts';
import { revertNaming } from '../naming/naming.ts';
import { announce } from '../write/announce.ts';
import { openEmptying } from '../write/empty-links.ts';
import { type Affected, planLinks } from '../write/plan-links.ts';
import { deleteRows } from '../write/rows.ts';
import { openStored } from '../write/save.ts';
import { leaveTree } from '../write/tree.ts';
import { finishUpdate } from './update.ts';

/**
 * Deletes a document with its rows and secrets. Documents that link to it are emptied or deleted, if their
 * links say so, or block the deletion.
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
  const { doc } = stored;
  if (doctype.issingle)
    throw new ServiceError('ValidationError', `${doctype.name} cannot be deleted: it is a single`);
  checkRevision(ctx, stored, expectation);
  if (doc.docstatus === 1) {
    throw new ServiceError(
      'ValidationError',
      'Submitted Record cannot be deleted. You must cancel this Record first.',
    );
  }
  await finishDelete(ctx, deletionOf(doctype, stored));
}

/** The second part of a deletion, after the document is locked and checked. */
export async function finishDelete(ctx: Context, change: Change): Promise<void> {
  await finish(ctx, change, () => followLinks(ctx, change));
}

async function finish(ctx: Context, change: Change, follow: () => Promise<void>): Promise<void> {
  const { doctype, doc } = change;
  ctx.db.spendReserve?.();
  addLeaving(ctx, doc);
  try {
    await runHooks(ctx, change, ['onTrash', 'onChange']);
    await follow();
    await leaveTree(ctx, change);
    await checkBackLinks(ctx, change);
    await revertNaming(ctx, doctype, doc);
    await deleteRows(ctx, change);
  } finally {
    removeLeaving(ctx, doc);
  }
  await runHook(ctx, change, 'afterDelete');
  await announce(ctx, change, [{ event: 'on_trash' }]);
}

/** Empties and deletes the documents that link to this one, by the `on_delete` of their links. */
async function followLinks(ctx: Context, change: Change): Promise<void> {
  const planned = await planLinks(ctx, change);
  const carryOut = async (one: Affected) => {
    try {
      await (one.effect === 'deleted' ? deletePlanned(ctx, one) : emptyPlanned(ctx, one));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The reason would reveal a hidden link.
      if (!one.isKnown) throw await linkedError(ctx, change);
      const place = `${one.doctype} ${one.name}, which is linked with it`;
      throw errorAbout(error, `Cannot delete ${change.doctype.name} ${change.doc.name} because of ${place}`);
    }
  };
  try {
    for (const one of planned) if (one.effect === 'emptied') await carryOut(one);
    // What links to a document goes before it.
    for (const one of planned.toReversed()) if (one.effect === 'deleted') await carryOut(one);
  } finally {
    for (const one of planned) removeLeaving(ctx, one);
  }
}

async function emptyPlanned(ctx: Context, one: Named): Promise<void> {
  const change = await openEmptying(ctx, one);
  if (change) await finishUpdate(ctx, change);
}

async function deletePlanned(ctx: Context, { doctype: doctypeName, name }: Named): Promise<void> {
  const doctype = ctx.doctypes.get(doctypeName);
  const stored = await lockDocument(ctx, doctype, name, 'remove');
  // A hook may have deleted it. The plan covers its own links.
  if (stored) await finish(ctx, deletionOf(doctype, stored), async () => {});
}

function deletionOf(doctype: DocType, { doc, revision }: Loaded): Change {
  return { action: 'delete', doctype, before: doc, doc, revision, input: {}, problems: [] };
}
