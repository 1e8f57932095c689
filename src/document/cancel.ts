import type { Document } from '../doctype/doctype.ts';
import type { Fields } from '../kernel/value.ts';
import { announce } from './announce.ts';
import type { Change } from './change.ts';
import { checkBackLinks } from './check/back-links.ts';
import { checkConstants } from './check/constants.ts';
import type { Expectation } from './check/latest.ts';
import { checkLinks } from './check/links.ts';
import { checkValues } from './check/values.ts';
import { placeChildren } from './children.ts';
import type { Context } from './context.ts';
import { runHook } from './controller.ts';
import { keepNamingField } from './naming.ts';
import { visibleTo } from './permit.ts';
import { updateRows } from './rows.ts';
import { openChange } from './save.ts';

/**
 * Cancels a submitted document; nothing about it changes afterwards.
 * @throws ServiceError DocstatusTransitionError for a draft, LinkExistsError while submitted documents link to it
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

/** The rest of a cancellation, once `openChange` has seen that it is one. Nothing is mandatory any more. */
export async function finishCancel(ctx: Context, change: Change): Promise<void> {
  await checkLinks(ctx, change);
  await runHook(ctx, change, 'beforeCancel');
  placeChildren(ctx, change);
  keepNamingField(change);
  checkValues(ctx, change);
  checkConstants(ctx, change);
  await updateRows(ctx, change);
  await announce(ctx, change, [{ event: 'on_cancel', hook: 'onCancel' }]);
  // After the hook, which may have cancelled what linked here.
  await checkBackLinks(ctx, change);
  await announce(ctx, change, [{ event: 'on_change', hook: 'onChange' }]);
}
