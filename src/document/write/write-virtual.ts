import type { Change } from '../change.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { sourceOf, type VirtualWrite } from '../virtual/virtual-doctype.ts';
import { takeOver } from '../virtual/virtual-document.ts';
import { forgetPasswords, storePasswords } from './passwords.ts';

/** Passes the document to the controller's write member. */
export async function writeVirtual(ctx: Context, change: Change, verb: VirtualWrite): Promise<void> {
  const { doctype, doc } = change;
  const source = sourceOf(ctx, doctype, verb);
  if (verb === 'delete') {
    await forgetPasswords(ctx, change);
    await source.delete(ctx, doc, change);
    return;
  }
  const storeSecrets = storePasswords(ctx, change);
  const stored = await source[verb](ctx, doc, change);
  if (stored) {
    takeOver(ctx, doctype, doc, stored);
    placeChildren(ctx, change);
  }
  await storeSecrets();
}
