import type { Document } from '../../doctype/doctype.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import { checkAfterSubmit } from '../check/after-submit.ts';
import type { Expectation } from '../check/latest.ts';
import type { Context } from '../contract.ts';
import { cloneDocument } from '../document.ts';
import { visibleTo } from '../load/permit.ts';
import { announce } from '../write/announce.ts';
import { prepareUpdate } from '../write/prepare-update.ts';
import { updateRows } from '../write/rows.ts';
import { openChange } from '../write/save.ts';
import { finishCancel } from './cancel.ts';
import { finishSubmit } from './submit.ts';

/**
 * Changes only the fields that were sent; a child table that was sent replaces all rows. `docstatus` 1
 * submits a draft, 2 cancels a submitted document. `modified` in the fields, or `ifMatch`, guards against
 * lost updates. Always sets a new `modified` and revision. Resolves to the document as this user would read
 * it.
 * @throws ServiceError as `openChange` and the checks below, the first that applies
 */
export async function updateDocument(
  ctx: Context,
  doctypeName: string,
  name: string,
  fields: Fields,
  expectation: Expectation = {},
): Promise<Document> {
  const change = await openChange(ctx, doctypeName, name, fields, expectation);
  if (change.action === 'submit') await finishSubmit(ctx, change);
  else if (change.action === 'cancel') await finishCancel(ctx, change);
  else if (change.action === 'update_after_submit') await finishAfterSubmit(ctx, change);
  else await finishUpdate(ctx, change);
  // A copy, because the events share rows with the document of the change.
  return visibleTo(ctx, change.doctype, cloneDocument(change.doc));
}

/** The second part of a change of a draft, after `openChange` or the emptying of links. */
export async function finishUpdate(ctx: Context, change: Change): Promise<void> {
  await prepareUpdate(ctx, change, ['beforeValidate', 'validate', 'beforeSave']);
  await updateRows(ctx, change);
  await announce(ctx, change, [
    { event: 'on_update', hook: 'onUpdate' },
    { event: 'on_change', hook: 'onChange' },
  ]);
}

async function finishAfterSubmit(ctx: Context, change: Change): Promise<void> {
  await prepareUpdate(ctx, change, ['beforeUpdateAfterSubmit']);
  checkAfterSubmit(ctx, change);
  await updateRows(ctx, change);
  await announce(ctx, change, [
    { event: 'on_update_after_submit', hook: 'onUpdateAfterSubmit' },
    { event: 'on_change', hook: 'onChange' },
  ]);
}
