import type { Change } from '../change.ts';
import { checkConstants } from '../check/constants.ts';
import { checkLinks } from '../check/links.ts';
import { checkMandatory } from '../check/mandatory.ts';
import { checkValues } from '../check/values.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { runHooks } from '../controller.ts';
import { keepNamingField } from '../naming/naming.ts';
import { fetchFields } from './fetch.ts';

/** Completes and checks a change of a stored document before its rows are written. Only the hooks differ. */
export async function prepareUpdate(
  ctx: Context,
  change: Change,
  hooks: Parameters<typeof runHooks>[2],
): Promise<void> {
  await checkLinks(ctx, change);
  await fetchFields(ctx, change);
  await runHooks(ctx, change, hooks);
  placeChildren(ctx, change);
  keepNamingField(change);
  checkMandatory(ctx, change);
  checkValues(ctx, change);
  checkConstants(ctx, change);
}
