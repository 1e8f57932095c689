import type { Change } from '../change.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { cloneDocument, rowsOf } from '../document.ts';
import type { Named } from '../leaving.ts';
import { lockDocument } from '../load/load.ts';
import { requireReach } from '../load/permit.ts';
import { stampUpdate } from '../stamp.ts';
import { leavingTargets } from './plan-links.ts';

/**
 * The first part of the change that empties a document's links to documents that are being deleted, and
 * removes the rows whose links cascade; null when it has none any more.
 * @throws ServiceError PermissionError when the user may not write the result
 */
export async function openEmptying(
  ctx: Context,
  { doctype: name, name: docname }: Named,
): Promise<Change | null> {
  const doctype = ctx.doctypes.get(name);
  const stored = await lockDocument(ctx, doctype, docname, 'change');
  if (stored?.doc.docstatus !== 0) return null;
  const doc = cloneDocument(stored.doc);
  let isChanged = false;
  for (const { fieldname } of leavingTargets(ctx, doctype, doc, 'empty')) {
    doc[fieldname] = null;
    isChanged = true;
  }
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    const rows = rowsOf(doc, table.fieldname);
    const kept = rows.filter((row) => leavingTargets(ctx, child, row, 'cascade').length === 0);
    isChanged ||= kept.length < rows.length;
    for (const row of kept) {
      for (const { fieldname } of leavingTargets(ctx, child, row, 'empty')) {
        row[fieldname] = null;
        isChanged = true;
      }
    }
    doc[table.fieldname] = kept;
  }
  if (!isChanged) return null;
  const { revision } = stored;
  const change: Change = {
    action: 'update',
    doctype,
    before: stored.doc,
    doc,
    revision,
    input: {},
    problems: [],
  };
  stampUpdate(ctx, change);
  placeChildren(ctx, change);
  await requireReach(ctx, doctype, 'write', doc);
  return change;
}
