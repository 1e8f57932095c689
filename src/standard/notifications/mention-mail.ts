import { sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import type { Notification } from './notices.ts';
import { peopleOf } from './people.ts';

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mail after the requests that cause it. */
export interface MailSender {
  /** False when this site sends no mail. */
  readonly isConfigured: boolean;
  later(prepare: () => Promise<Mail | null>): void;
}

/**
 * Mails the users whom a comment mentions: who mentions them and a link, no text of the document or the comment.
 * A user with an unread mention in the same document has got a mail already. Call it before the notifications
 * are written.
 */
export async function mailMentions(
  ctx: Context,
  notifications: readonly Notification[],
  mail: MailSender,
): Promise<void> {
  const { siteUrl } = ctx.site.config;
  if (!mail.isConfigured || siteUrl === null) return;
  for (const { type, user, doctype, name } of notifications) {
    if (type !== 'Mention' || (await hasUnread(ctx, user, doctype, name))) continue;
    const [author] = await peopleOf(ctx.db, [ctx.user.name]);
    const row = await ctx.db.get(sql`select "email" from "User" where "name" = ${user}`);
    const to = String(row?.['email'] ?? '');
    const link = `${siteUrl}/app/d/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`;
    const told = `${author?.fullname ?? ctx.user.name} mentioned you in a comment (${doctype})`;
    ctx.afterCommit(() => mail.later(async () => ({ to, subject: told, text: `${told}:\n\n${link}\n` })));
  }
}

async function hasUnread(ctx: Context, user: string, doctype: string, name: string): Promise<boolean> {
  const row = await ctx.db.get(
    sql`select 1 as "one" from "Notification Log" where "for_user" = ${user} and "read" = 0
        and "type" = 'Mention' and "document_type" = ${doctype} and "document_name" = ${name} limit 1`,
  );
  return row !== undefined;
}
