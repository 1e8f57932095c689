import type { DocType, Document } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { announce } from './announce.ts';
import type { Change } from './change.ts';
import type { Context } from './context.ts';
import { runHook } from './controller.ts';
import { finishDelete } from './delete.ts';
import { cloneDocument } from './document.ts';
import { lockDocument } from './load.ts';
import { absent, requireRight } from './permit.ts';
import { moveReferences, takeMovedLinks } from './references.ts';
import { checkTreeMerge } from './tree.ts';

/**
 * Lets one document take over everything that refers to another, which is then deleted, by the rules of a deletion. The
 * target's own fields and rows stay as they are. `old` is locked and its user may write it.
 * @throws ServiceError PermissionError without the right to delete the one and write the other; ValidationError when
 *   the target is missing, or a docstatus forbids it
 */
export async function mergeDocument(
  ctx: Context,
  doctype: DocType,
  old: Document,
  revision: number,
  targetName: string,
): Promise<string> {
  await requireRight(ctx, doctype, 'delete', old);
  const target = await lockDocument(ctx, doctype, targetName, 'change');
  if (!target) {
    const refused = absent(ctx, doctype, targetName, 'write');
    if (refused.type === 'PermissionError') throw refused;
    throw new ServiceError(
      'ValidationError',
      `${doctype.name} ${targetName} does not exist, select a new target to merge`,
    );
  }
  await requireRight(ctx, doctype, 'write', target.doc);
  checkDocstatus(old, target.doc);
  await checkTreeMerge(ctx, doctype, old, target.doc);

  const doc = cloneDocument(target.doc);
  const merging: Change = {
    action: 'merge',
    doctype,
    before: old,
    doc,
    revision: target.revision,
    input: {},
    problems: [],
  };
  await runHook(ctx, merging, 'beforeRename');
  if (doc.name !== target.doc.name) {
    throw new ServiceError('ValidationError', 'A hook cannot choose another document to merge into');
  }
  await moveReferences(ctx, doctype, old.name, doc.name);
  await takeMovedLinks(ctx, doctype, doc);
  await announce(ctx, merging, [{ event: 'after_rename', hook: 'afterRename' }]);
  await finishDelete(ctx, {
    action: 'delete',
    doctype,
    before: old,
    doc: old,
    revision,
    input: {},
    problems: [],
  });
  return doc.name;
}

// What links to a submitted document would otherwise find itself linked to a cancelled one, or to a draft.
function checkDocstatus(old: Document, target: Document): void {
  if (old.docstatus === 1) {
    throw new ServiceError(
      'ValidationError',
      'Submitted Record cannot be merged. You must cancel this Record first.',
    );
  }
  if (target.docstatus !== 2 || old.docstatus === 2) return;
  throw new ServiceError('ValidationError', `Cannot merge into cancelled ${target.doctype} ${target.name}`);
}
