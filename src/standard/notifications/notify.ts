import { loadUser } from '../../access/load-user.ts';
import { join, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { timestamp } from '../../document/context.ts';
import type { CommitListener, Context } from '../../document/contract.ts';
import type { DocEvent } from '../../document/doc-event.ts';
import { insertRecords } from '../history/records.ts';
import { mayReadReference } from '../history/reference.ts';
import { followersOf } from './followers.ts';
import { type MailSender, mailMentions } from './mention-mail.ts';
import { type Notice, type Notification, noticesOf, TYPES } from './notices.ts';
import { peopleOf } from './people.ts';

/**
 * Writes the notifications of a transaction in it: mentions, assignments, shares, and changes of followed
 * documents. Nobody is notified of their own actions, or about a document that they may not read.
 */
export function notificationListener(mail: MailSender): CommitListener {
  return async (ctx) => {
    const doctype = ctx.doctypes.find('Notification Log');
    const notices = ctx.origin?.isImport ? [] : noticesOf(ctx);
    if (!doctype || notices.length === 0) return;
    const notifications = await permitted(ctx, await addressed(ctx, notices));
    if (notifications.length === 0) return;
    await mailMentions(ctx, notifications, mail);
    await dropUnread(ctx, notifications);
    const by = ctx.user.name;
    const [person] = await peopleOf(ctx.db, [by]);
    const at = timestamp(ctx.site);
    const docs = await insertRecords(
      ctx,
      doctype,
      notifications.map(({ user, type, action, doctype: document_type, name: document_name }) => ({
        user: by,
        at,
        fields: {
          subject: subjectOf(person?.fullname ?? by, action, document_type),
          for_user: user,
          type,
          action,
          document_type,
          document_name,
          from_user: by,
          read: 0,
        },
      })),
    );
    for (const doc of docs) ctx.events.push(created(doctype, doc));
  };
}

/** One notification for each user and document: the strongest. Never for the acting user. */
async function addressed(ctx: Context, notices: readonly Notice[]): Promise<Notification[]> {
  const chosen = new Map<string, Notification>();
  const followers = await followersOf(
    ctx,
    notices.filter(({ users }) => users === null),
  );
  for (const { users, ...notice } of notices) {
    for (const user of users ?? followers(notice.doctype, notice.name)) {
      if (user === ctx.user.name) continue;
      const key = JSON.stringify([user, notice.doctype, notice.name]);
      const former = chosen.get(key);
      if (former && TYPES.indexOf(former.type) < TYPES.indexOf(notice.type)) continue;
      chosen.set(key, { ...notice, user });
    }
  }
  return [...chosen.values()];
}

// All at once, so that PostgreSQL receives the questions without waits between them.
async function permitted(ctx: Context, notifications: readonly Notification[]): Promise<Notification[]> {
  const strict = ctx.site.settings.strictUserPermissions;
  const names = new Set(notifications.map(({ user }) => user));
  const users = new Map(
    await Promise.all([...names].map(async (name) => [name, await loadUser(ctx.db, name, strict)] as const)),
  );
  const allowed = await Promise.all(
    notifications.map(async ({ user: userName, doctype, name }) => {
      const user = users.get(userName);
      return user && !user.isGuest ? mayReadReference({ ...ctx, user }, doctype, name) : false;
    }),
  );
  return notifications.filter((_, index) => allowed[index]);
}

// A follower who has not read of a former change needs one notification, not one for each change.
async function dropUnread(ctx: Context, notifications: readonly Notification[]): Promise<void> {
  const alerts = notifications.filter(({ type }) => type === 'Alert');
  for (const [key, alike] of Map.groupBy(alerts, ({ doctype, name }) => JSON.stringify([doctype, name]))) {
    const [doctype = '', name = ''] = JSON.parse(key) as string[];
    await ctx.db.run(
      sql`delete from "Notification Log" where "document_type" = ${doctype} and "document_name" = ${name}
          and "type" = 'Alert' and "read" = 0 and "for_user" in (${join(alike.map(({ user }) => sql`${user}`))})`,
    );
  }
}

/** Without the document's title and name: rights on them may change, and the text stays. */
function subjectOf(who: string, action: string, doctype: string): string {
  return `${who} ${PHRASES[action] ?? `${action} a document that you follow`} (${doctype})`;
}

const PHRASES: Readonly<Record<string, string>> = {
  mentioned: 'mentioned you in a comment',
  assigned: 'assigned a document to you',
  shared: 'shared a document with you',
  commented: 'commented on a document that you follow',
};

function created(doctype: DocType, doc: Document): DocEvent {
  return { name: 'after_insert', doctype, doc, before: null, secrets: [], revision: 1 };
}
