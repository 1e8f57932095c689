import type { DocEvent } from '../../document/doc-event.ts';

/** Later renames and deletions of documents in the transaction of an event. */
export interface Fates {
  /** The document's name at the commit, given its name at the event with that index. */
  nameAfter(index: number, doctypeName: string, name: string): string;
  isDeleted(doctypeName: string, name: string): boolean;
}

/**
 * Collects the renames and deletions of a transaction. Without any, as in most transactions, queries cost
 * nothing.
 */
export function fatesOf(events: readonly DocEvent[]): Fates {
  const renames: { readonly index: number; readonly event: DocEvent }[] = [];
  const deleted = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.name === 'after_rename') renames.push({ index, event });
    else if (event.name === 'on_trash') deleted.add(documentKey(event.doctype.name, event.doc.name));
  }
  return {
    nameAfter(from, doctypeName, name) {
      let current = name;
      for (const { index, event } of renames) {
        if (index > from && event.doctype.name === doctypeName && event.before?.name === current) {
          current = event.doc.name;
        }
      }
      return current;
    },
    isDeleted: (doctypeName, name) => deleted.has(documentKey(doctypeName, name)),
  };
}

function documentKey(doctypeName: string, name: string): string {
  return `${doctypeName}\u001f${name}`;
}
