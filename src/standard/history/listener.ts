import type { CommitListener, Context } from '../../document/contract.ts';
import type { DocEvent } from '../../document/doc-event.ts';
import { carriesHistory } from './carriers.ts';
import { commentAutomatically } from './comment.ts';
import { commentsOf } from './comments-of.ts';
import { isDeletion, recordDeletions } from './deleted.ts';
import { fatesOf } from './fates.ts';
import { type HistoryRecord, insertRecords } from './records.ts';
import { versionsOf } from './version.ts';

/**
 * Writes history in the transaction of the changes: versions, Deleted Documents, and comments on attaching,
 * detaching and renaming. Runs before the listeners that should see its comments.
 */
export const historyListener: CommitListener = async (ctx) => {
  // Comments made here append events, which need no history.
  const events = [...ctx.events];
  const fates = fatesOf(events);
  const pending: Pending = { versions: [], deletions: [] };
  for (const [index, event] of events.entries()) {
    const { doctype, doc } = event;
    const versions = versionsOf(ctx, event, fates.nameAfter(index, doctype.name, doc.name));
    if (versions.length > 0) {
      if (pending.deletions.length > 0) await flush(ctx, pending);
      pending.versions.push(...versions);
    }
    for (const { doctypeName, name, type, html } of commentsOf(ctx.doctypes, event, fates)) {
      const about = ctx.doctypes.find(doctypeName);
      if (!about || !carriesHistory(about)) continue;
      await commentAutomatically(ctx, doctypeName, fates.nameAfter(index, doctypeName, name), type, html);
    }
    if (isDeletion(event)) {
      if (pending.versions.length > 0) await flush(ctx, pending);
      pending.deletions.push(event);
    }
  }
  await flush(ctx, pending);
};

/** Consecutive rows of the same kind are written together. */
interface Pending {
  readonly versions: HistoryRecord[];
  readonly deletions: DocEvent[];
}

async function flush(ctx: Context, { versions, deletions }: Pending): Promise<void> {
  const doctype = ctx.doctypes.find('Version');
  if (doctype && versions.length > 0) await insertRecords(ctx, doctype, versions);
  if (deletions.length > 0) await recordDeletions(ctx, deletions);
  versions.length = 0;
  deletions.length = 0;
}
