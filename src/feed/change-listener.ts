import { sharedMillis } from '../db/shared-clock.ts';
import type { CommitListener } from '../document/contract.ts';
import type { DocEvent } from '../document/doc-event.ts';
import { LIMITS } from '../kernel/limits.ts';
import { insertChanges, type NewChange } from './changes.ts';
import type { Followed } from './followed.ts';

/**
 * Records changes to documents of followed doctypes as rows of the same transaction. Calls `wake` after the
 * commit.
 */
export function changeListener(followed: Followed, wake: () => void): CommitListener {
  return async (ctx) => {
    const names = new Set(ctx.events.map((event) => event.doctype.name));
    const wanted = await followed.among(ctx, names);
    if (wanted.size === 0) return;
    const changes = ctx.events.filter((event) => wanted.has(event.doctype.name)).flatMap(changeOf);
    if (changes.length === 0) return;
    await insertChanges(ctx.db, changes, sharedMillis(ctx.db, ctx.site.clock));
    ctx.afterCommit(wake);
  };
}

// `on_change` only repeats another event.
function changeOf({ name: event, doctype, doc, before }: DocEvent): NewChange[] {
  if (event === 'on_change') return [];
  return [
    {
      doctype: doctype.name,
      name: doc.name,
      event,
      oldName: event === 'after_rename' ? (before?.name ?? null) : null,
      modified: doc.modified,
      snapshot: event === 'on_trash' ? snapshotOf(doc) : null,
    },
  ];
}

function snapshotOf(doc: object): string | null {
  const text = JSON.stringify(doc);
  return text.length > LIMITS.changeSnapshot ? null : text;
}
