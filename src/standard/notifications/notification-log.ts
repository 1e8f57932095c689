import { requirePermission } from '../../access/permission.ts';
import { ident, sql } from '../../db/sql.ts';
import type { Context, Controller, Method } from '../../document/contract.ts';
import { textOf } from '../../document/document.ts';
import { listDocuments } from '../../document/list/list.ts';
import { load } from '../../document/load/load.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { updateDocument } from '../../document/verbs/update.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { mayReadReference, referenceFilter } from '../history/reference.ts';
import { announceMark } from '../history/side.ts';
import { peopleOf } from './people.ts';

const LOG = 'Notification Log';

/**
 * Notifications. Each belongs to `for_user`: nobody else reads or changes it, administrators included. One
 * about a document that its user may not read any more is hidden until they may. Users change only `read`; the
 * server alone writes the rest.
 */
export const notificationLogController: Controller = {
  hasPermission(ctx, doc, right) {
    if (ctx.system === true) return true;
    if (right === 'create' || doc['for_user'] !== ctx.user.name) return false;
    return mayReadReference(ctx, textOf(doc, 'document_type'), textOf(doc, 'document_name'));
  },

  rowFilter: own,
};

function own(ctx: Context) {
  if (ctx.system === true) return null;
  const readable = referenceFilter(ctx, { type: ident('document_type'), name: ident('document_name') });
  return sql`("for_user" = ${ctx.user.name} and (${readable}))`;
}

/** The number of a user's unread notifications, up to `LIMITS.unreadShown`. */
export async function unreadCount(ctx: Context): Promise<number> {
  const row = await ctx.db.get(
    sql`select count(*) as "count" from (select 1 from "Notification Log"
        where "read" = 0 and ${own(ctx) ?? sql`1 = 1`} limit ${LIMITS.unreadShown}) as "unread"`,
  );
  return Number(row?.['count'] ?? 0);
}

const FIELDS = [
  'name',
  'creation',
  'subject',
  'type',
  'action',
  'document_type',
  'document_name',
  'from_user',
  'read',
];

/** Methods of the caller's own notifications. */
export const notificationMethods: Readonly<Record<string, Method>> = {
  'frappe.desk.doctype.notification_log.notification_log.get_notification_logs': defineMethod({
    http: ['GET', 'POST'],
    description: 'List your notifications, newest first, with the names of the users in them',
    args: { limit: { type: 'Int', default: 20, description: `At most ${LIMITS.notificationsListed}` } },
    async run(ctx, { limit }) {
      const most = Math.min(Math.max(1, limit ?? 20), LIMITS.notificationsListed);
      const logs = await listDocuments(ctx, LOG, {
        fields: FIELDS,
        order_by: 'creation desc',
        limit_page_length: most,
      });
      const people = await peopleOf(
        ctx.db,
        logs.map((log) => String(log['from_user'])),
      );
      const user_info = Object.fromEntries(people.map((person) => [person.name, person]));
      return { notification_logs: logs, user_info, unread: await unreadCount(ctx) };
    },
  }),
  'frappe.desk.doctype.notification_log.notification_log.mark_as_read': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Mark one of your notifications as read',
    args: { docname: { type: 'Data', required: true } },
    async run(ctx, { docname }) {
      await updateDocument(ctx, LOG, docname, { read: 1 });
      return null;
    },
  }),
  'frappe.desk.doctype.notification_log.notification_log.mark_all_as_read': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Mark all of your notifications as read',
    async run(ctx) {
      const doctype = ctx.doctypes.get(LOG);
      requirePermission(ctx.user, doctype, 'write');
      const mine = sql`"for_user" = ${ctx.user.name} and "read" = 0`;
      const row = await ctx.db.get(sql`select "name" from "Notification Log" where ${mine} limit 1`);
      if (!row) return null;
      await ctx.db.run(
        sql`update "Notification Log" set "read" = 1, "_revision" = "_revision" + 1 where ${mine}`,
      );
      // One event tells the user's other windows of all of them.
      const loaded = await load(ctx, doctype, String(row['name']));
      if (loaded) announceMark(ctx, { doctype, ...loaded });
      return null;
    },
  }),
};
