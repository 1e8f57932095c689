import type { RowsOf } from '../../access/field-level.ts';
import type { ChildRow, DocType, Document, OnDelete } from '../../doctype/doctype.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import { checkMandatory } from '../check/mandatory.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { cloneDocument, type Loaded, rowsOf } from '../document.ts';
import { addLeaving, type Named } from '../leaving.ts';
import { isKnown, type ReferringLink } from '../list/referrers.ts';
import { lockDocument } from '../load/load.ts';
import { requireReach } from '../load/permit.ts';
import { stampUpdate } from '../stamp.ts';
import { fetchFields } from './fetch.ts';
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
  const change = emptying(ctx, doctype, stored);
  if (!change) return null;
  stampUpdate(ctx, change);
  placeChildren(ctx, change);
  await requireReach(ctx, doctype, 'write', change.doc);
  return change;
}

/**
 * True when the deletion of `target` would leave this document without a mandatory value, as far as the user
 * may know its links.
 */
export async function needsLinksTo(
  ctx: Context,
  target: Named,
  doctype: DocType,
  stored: Loaded,
): Promise<boolean> {
  const trial: Context = { ...ctx, events: [] };
  addLeaving(trial, target);
  const change = emptying(trial, doctype, stored, (link, rowsIn) => isKnown(ctx, link, rowsIn));
  if (!change) return false;
  await fetchFields(trial, change);
  try {
    checkMandatory(trial, change);
    return false;
  } catch (error) {
    if (isRefusal(error)) return true;
    throw error;
  }
}

/** The change without links and rows to documents that are being deleted; null when none of them counts. */
function emptying(
  ctx: Context,
  doctype: DocType,
  { doc: before, revision }: Loaded,
  counts: (link: ReferringLink, rowsIn?: RowsOf) => boolean = () => true,
): Change | null {
  const doc = cloneDocument(before);
  let isChanged = false;
  const leaving = (of: DocType, holder: Document | ChildRow, onDelete: OnDelete, rowsIn?: RowsOf) =>
    leavingTargets(ctx, of, holder, onDelete).filter((field) =>
      counts({ doctype: of, field, typeField: field.fieldtype === 'Link' ? null : field.options }, rowsIn),
    );
  const empty = (of: DocType, holder: Document | ChildRow, rowsIn?: RowsOf) => {
    for (const { fieldname } of leaving(of, holder, 'empty', rowsIn)) {
      holder[fieldname] = null;
      isChanged = true;
    }
  };
  empty(doctype, doc);
  for (const { fieldname, options } of doctype.tables) {
    const child = ctx.doctypes.get(options);
    const rowsIn = { parent: doctype, table: fieldname };
    const rows = rowsOf(doc, fieldname);
    const kept = rows.filter((row) => leaving(child, row, 'cascade', rowsIn).length === 0);
    isChanged ||= kept.length < rows.length;
    for (const row of kept) empty(child, row, rowsIn);
    doc[fieldname] = kept;
  }
  return isChanged ? { action: 'update', doctype, before, doc, revision, input: {}, problems: [] } : null;
}
