import type { Document } from '../doctype/doctype.ts';
import type { Change } from './change.ts';
import type { Context } from './context.ts';
import { type HookName, runHook } from './controller.ts';
import type { DocEventName } from './doc-event.ts';
import { cloneDocument } from './document.ts';

/** One step after the rows are written: the event that commit listeners see, then the hook. Either may be absent. */
export interface Announcement {
  readonly event?: DocEventName;
  readonly hook?: HookName;
}

/**
 * Tells what happened, in order. Events carry the document as it was written: what hooks do to it afterwards is for the
 * reply alone and reaches no listener.
 */
export async function announce(
  ctx: Context,
  change: Change,
  announcements: readonly Announcement[],
): Promise<void> {
  const { doctype, before } = change;
  const revision = change.revision + 1;
  const doc: Document = cloneDocument(change.doc);
  for (const { event, hook } of announcements) {
    if (event) ctx.events.push({ name: event, doctype, doc, before, revision });
    if (hook) await runHook(ctx, change, hook);
  }
}
