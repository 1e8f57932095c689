import type { DocType, Document } from '../../doctype/doctype.ts';
import { type Change, untouchedTables } from '../change.ts';
import type { Context } from '../contract.ts';
import { type HookName, runHook } from '../controller.ts';
import type { DocEvent, DocEventName } from '../doc-event.ts';
import { cloneDocument, rowsOf } from '../document.ts';

/**
 * One step after the rows are written: the event for commit listeners, then the hook. Either may be absent.
 */
export interface Announcement {
  readonly event?: DocEventName;
  readonly hook?: HookName;
}

/**
 * Announces events, in order. They carry the document as written; later changes by hooks appear only in the
 * reply. When a hook saved or renamed the same document again, `on_change` and the reply show that state.
 */
export async function announce(
  ctx: Context,
  change: Change,
  announcements: readonly Announcement[],
): Promise<void> {
  const { doctype } = change;
  const untouched = untouchedTables(change);
  const written = { doc: cloneDocument(change.doc), revision: change.revision + 1 };
  const before = change.before && sharingRows(change.before, written.doc, untouched);
  // Hooks may change rows: those of the document, of its state before, and of the events are all their own.
  if (untouched.size > 0) Object.assign(change.doc, cloneDocument(change.doc));
  let latest: Pick<DocEvent, 'doc' | 'revision'> = written;
  for (const { event, hook } of announcements) {
    const { doc, revision } = event === 'on_change' ? latest : written;
    const { secrets = [] } = change;
    if (event) ctx.events.push({ name: event, doctype, doc, before, secrets, revision });
    if (!hook) continue;
    const seen = ctx.events.length;
    await runHook(ctx, change, hook);
    const again = lastChange(ctx.events, seen, latest.doc);
    if (!again) continue;
    latest = again;
    Object.assign(change.doc, cloneDocument(again.doc));
  }
}

// Rows that both documents of an event share need no comparison.
function sharingRows(before: Document, doc: Document, untouched: ReadonlySet<string>): Document {
  if (untouched.size === 0) return before;
  const sharing = { ...before };
  for (const fieldname of untouched) sharing[fieldname] = rowsOf(doc, fieldname);
  return sharing;
}

/** Tells the commit listeners that a document of this doctype is about to change. */
export function foresee(ctx: Context, doctype: DocType): void {
  for (const listen of ctx.site.commitListeners) listen.foresee?.(ctx, doctype.name);
}

/** The last later event that changed the document, under its present name. */
function lastChange(events: readonly DocEvent[], since: number, doc: Document): DocEvent | null {
  let found: DocEvent | null = null;
  let { name } = doc;
  for (let index = since; index < events.length; index += 1) {
    const event = events[index];
    if (!event || event.name === 'on_trash' || event.doctype.name !== doc.doctype) continue;
    if (event.doc.name !== name && event.before?.name !== name) continue;
    found = event;
    name = event.doc.name;
  }
  return found;
}
