import type { Document } from '../../doctype/doctype.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import type { Change } from '../change.ts';
import { timestamp } from '../context.ts';
import type { Context } from '../contract.ts';

/** Sets owner and times of a new document, whatever the client sent. */
export function stampCreation(ctx: Context, doc: Document): void {
  const now = timestamp(ctx.site);
  doc.owner = ctx.user.name;
  doc.creation = now;
  doc.modified = now;
  doc.modified_by = ctx.user.name;
}

/**
 * Sets a new `modified`. It is later than the former one, even if this machine's clock is behind or the
 * site's time zone has just set its clocks back.
 */
export function stampUpdate(ctx: Context, change: Change): void {
  // A single has no row before its first save.
  if (change.revision === 0) {
    stampCreation(ctx, change.doc);
    return;
  }
  const now = timestamp(ctx.site);
  const previous = change.before?.modified ?? '';
  change.doc.modified = now > previous ? now : oneMicrosecondAfter(previous);
  change.doc.modified_by = ctx.user.name;
}

function oneMicrosecondAfter(stamp: string): string {
  const seconds = Date.parse(`${stamp.slice(0, 19).replace(' ', 'T')}Z`) * 1000;
  return formatTimestamp(seconds + Number(stamp.slice(20)) + 1, 'UTC');
}
