import type { Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import type { DocEvent, DocEventName } from '../../document/doc-event.ts';
import { textOf } from '../../document/document.ts';
import { carriesHistory } from '../history/carriers.ts';
import { fatesOf } from '../history/fates.ts';
import { usersIn } from '../history/side.ts';
import { mentionsIn } from './mentions.ts';

/** The types of notifications. Of several about one document, a user gets the first. */
export const TYPES = ['Mention', 'Assignment', 'Share', 'Alert'] as const;

/** What somebody is told about a document. */
export interface Notice {
  readonly type: (typeof TYPES)[number];
  readonly action: string;
  readonly doctype: string;
  readonly name: string;
  /** The users; null for the followers of the document. */
  readonly users: readonly string[] | null;
}

/** A notice to one user. */
export interface Notification extends Omit<Notice, 'users'> {
  readonly user: string;
}

/** The actions that followers hear of, by the event of a document's change. */
const FOLLOWED: ReadonlyMap<DocEventName, string> = new Map<DocEventName, string>([
  ['on_update', 'changed'],
  ['on_submit', 'submitted'],
  ['on_cancel', 'cancelled'],
  ['on_update_after_submit', 'changed'],
  ['after_rename', 'renamed'],
]);

/** The notices that follow from the events of a transaction, about documents that it does not delete. */
export function noticesOf(ctx: Context): Notice[] {
  const fates = fatesOf(ctx.events);
  return ctx.events.flatMap((event, index) =>
    noticesOfEvent(event).flatMap((notice) => {
      const name = fates.nameAfter(index, notice.doctype, notice.name);
      return fates.isDeleted(notice.doctype, name) ? [] : [{ ...notice, name }];
    }),
  );
}

function noticesOfEvent(event: DocEvent): Notice[] {
  if (event.doctype.name === 'Comment') return ofComment(event);
  if (event.doctype.name === 'DocShare') return ofShare(event);
  if (!carriesHistory(event.doctype)) return [];
  const about = { doctype: event.doctype.name, name: event.doc.name };
  if (event.name === 'on_mark') return ofMark(event, about);
  const action = event.before === null ? undefined : FOLLOWED.get(event.name);
  return action === undefined ? [] : [{ ...about, type: 'Alert', action, users: null }];
}

function ofComment({ name, doc, before }: DocEvent): Notice[] {
  if ((name !== 'after_insert' && name !== 'on_update') || doc['comment_type'] !== 'Comment') return [];
  const about = { doctype: textOf(doc, 'reference_doctype'), name: textOf(doc, 'reference_name') };
  const mentioned = mentionsIn(textOf(doc, 'content'));
  const added = [...mentioned.difference(mentionsIn(before ? textOf(before, 'content') : ''))];
  const notices: Notice[] = [];
  if (added.length > 0) notices.push({ ...about, type: 'Mention', action: 'mentioned', users: added });
  if (name === 'after_insert') notices.push({ ...about, type: 'Alert', action: 'commented', users: null });
  return notices;
}

function ofShare({ name, doc }: DocEvent): Notice[] {
  const user = textOf(doc, 'user');
  if (name !== 'after_insert' || user === '') return [];
  const about = { doctype: textOf(doc, 'share_doctype'), name: textOf(doc, 'share_name') };
  return [{ ...about, type: 'Share', action: 'shared', users: [user] }];
}

function ofMark({ doc, before }: DocEvent, about: Pick<Notice, 'doctype' | 'name'>): Notice[] {
  const had = assigned(before);
  const users = [...assigned(doc)].filter((user) => !had.has(user));
  return users.length === 0 ? [] : [{ ...about, type: 'Assignment', action: 'assigned', users }];
}

function assigned(doc: Document | null): ReadonlySet<string> {
  return new Set(doc ? usersIn({ doc }, '_assign') : []);
}
