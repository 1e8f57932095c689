import type { Document } from '../../doctype/doctype.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Change } from '../change.ts';
import { checkBackLinks } from '../check/back-links.ts';
import { checkConstants } from '../check/constants.ts';
import type { Expectation } from '../check/latest.ts';
import { checkLinks } from '../check/links.ts';
import { checkValues } from '../check/values.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { runHook } from '../controller.ts';
import { visibleTo } from '../load/permit.ts';
import { keepNamingField } from '../naming/naming.ts';
import { announce } from '../write/announce.ts';
import { updateRows } from '../write/rows.ts';
import { openChange } from '../write/save.ts';

/**
 * Cancels a submitted document, which cannot be changed afterwards.
 * @throws ServiceError DocstatusTransitionError for a draft, LinkExistsError while submitted documents link
 * to it
 */
export async function cancelDocument(
  ctx: Context,
  doctypeName: string,
  name: string,
  expectation: Expectation = {},
): Promise<Document> {
  const fields: Fields = { docstatus: 2 };
  const change = await openChange(ctx, doctypeName, name, fields, expectation);
  await finishCancel(ctx, change);
  return visibleTo(ctx, change.doctype, change.doc);
}

/**
 * The second part of a cancellation, after `openChange` has found that it is one. Required fields are not
 * checked.
 */
export async function finishCancel(ctx: Context, change: Change): Promise<void> {
  await checkLinks(ctx, change);
  await runHook(ctx, change, 'beforeCancel');
  placeChildren(ctx, change);
  keepNamingField(change);
  checkValues(ctx, change);
  checkConstants(ctx, change);
  await updateRows(ctx, change);
  await announce(ctx, change, [{ event: 'on_cancel', hook: 'onCancel' }]);
  // After the hook, which may cancel documents that link to this one.
  await checkBackLinks(ctx, change);
  await announce(ctx, change, [{ event: 'on_change', hook: 'onChange' }]);
}
