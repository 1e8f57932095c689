import type { Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import { checkConstants } from '../check/constants.ts';
import type { Expectation } from '../check/latest.ts';
import { checkLinks } from '../check/links.ts';
import { checkMandatory } from '../check/mandatory.ts';
import { checkValues } from '../check/values.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { runHooks } from '../controller.ts';
import { visibleTo } from '../load/permit.ts';
import { keepNamingField } from '../naming/naming.ts';
import { announce } from '../write/announce.ts';
import { fetchFields } from '../write/fetch.ts';
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
  await checkLinks(ctx, change);
  await fetchFields(ctx, change);
  await runHooks(ctx, change, ['beforeValidate', 'validate', 'beforeSubmit']);
  placeChildren(ctx, change);
  keepNamingField(change);
  checkMandatory(ctx, change);
  checkValues(ctx, change);
  checkConstants(ctx, change);
  await updateRows(ctx, change);
  await announce(ctx, change, [
    { hook: 'onUpdate' },
    { event: 'on_submit', hook: 'onSubmit' },
    { event: 'on_change', hook: 'onChange' },
  ]);
}
