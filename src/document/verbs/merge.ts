import type { DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import type { Context } from '../contract.ts';
import { runHook } from '../controller.ts';
import { cloneDocument } from '../document.ts';
import { lockDocument } from '../load/load.ts';
import { absent, requireRight } from '../load/permit.ts';
import { announce } from '../write/announce.ts';
import { moveReferences, takeMovedLinks } from '../write/references.ts';
import { checkTreeMerge } from '../write/tree.ts';
import { finishDelete } from './delete.ts';

/**
 * Moves all references of one document to another and deletes the first, by the rules of a deletion. The
 * fields and rows of the target do not change. `old` is locked, and its user may write it.
 * @throws ServiceError PermissionError without the right to delete the one and write the other;
 * ValidationError when the target is missing, or a docstatus forbids it
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

// Otherwise links to a submitted document would move to a cancelled one or a draft.
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
