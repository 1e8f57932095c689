import type { Document } from '../doctype/doctype.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import type { Change } from './change.ts';
import { type Context, timestamp } from './context.ts';

/** Owner and times of a new document: the server's, whatever the client sent. */
export function stampCreation(ctx: Context, doc: Document): void {
  const now = timestamp(ctx.site);
  doc.owner = ctx.user.name;
  doc.creation = now;
  doc.modified = now;
  doc.modified_by = ctx.user.name;
}

/**
 * A new `modified`, later than the one before even when this machine's clock is behind the one that wrote it, or
 * the site's time zone has just put its clocks back.
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
