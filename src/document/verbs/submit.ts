import type { Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import type { Expectation } from '../check/latest.ts';
import type { Context } from '../contract.ts';
import { visibleTo } from '../load/permit.ts';
import { announce } from '../write/announce.ts';
import { prepareUpdate } from '../write/prepare-update.ts';
import { updateRows } from '../write/rows.ts';
import { openChange } from '../write/save.ts';

/**
 * Submits a draft, with the fields sent: from here on only `allow_on_submit` fields change.
 * @throws ServiceError as `updateDocument`; DocstatusTransitionError when it is submitted already
 */
export async function submitDocument(
  ctx: Context,
  doctypeName: string,
  name: string,
  fields: Fields = {},
  expectation: Expectation = {},
): Promise<Document> {
  const change = await openChange(ctx, doctypeName, name, { ...fields, docstatus: 1 }, expectation);
  if (change.action !== 'submit') {
    throw new ServiceError('DocstatusTransitionError', `${doctypeName} ${name} is already submitted`);
  }
  await finishSubmit(ctx, change);
  return visibleTo(ctx, change.doctype, change.doc);
}

/** The second part of a submission, after `openChange` has found that it is one. */
export async function finishSubmit(ctx: Context, change: Change): Promise<void> {
  await prepareUpdate(ctx, change, ['beforeValidate', 'validate', 'beforeSubmit']);
  await updateRows(ctx, change);
  await announce(ctx, change, [
    { hook: 'onUpdate' },
    { event: 'on_submit', hook: 'onSubmit' },
    { event: 'on_change', hook: 'onChange' },
  ]);
}
