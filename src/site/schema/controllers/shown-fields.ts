import { mayLearn } from '../../../access/field-level.ts';
import { reachOf } from '../../../access/permission.ts';
import { rowFilter } from '../../../access/row-filter.ts';
import type { DocType } from '../../../doctype/doctype.ts';
import type { Context } from '../../../document/contract.ts';
import { hides } from '../../../document/load/narrowing.ts';

/**
 * The fields with values that a message about the whole table may name: the user may read every document, and
 * the field. The doctype is as it was before the change, so that the change cannot open it.
 */
export function shownFields(ctx: Context, doctype: DocType | undefined): (fieldname: string) => boolean {
  if (!doctype || !readsAll(ctx, doctype)) return () => false;
  return (fieldname) =>
    // The permlevel of a field that is not there is unknown.
    (ctx.user.isAdministrator || doctype.fieldByName.has(fieldname)) &&
    mayLearn(ctx.user, doctype, fieldname);
}

function readsAll(ctx: Context, doctype: DocType): boolean {
  const { user, doctypes } = ctx;
  if (reachOf(user, doctype, 'read') !== 'all' || hides(ctx, doctype)) return false;
  return rowFilter(user, doctype, 'read', doctypes) === null;
}
