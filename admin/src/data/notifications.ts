import { queryOptions } from '@tanstack/react-query';
import { callMethod, readMethod } from './api.ts';
import { keys } from './keys.ts';

/** The doctype of notifications. */
export const NOTIFICATIONS = 'Notification Log';

const METHODS = 'frappe.desk.doctype.notification_log.notification_log';

/** What a notification tells: what somebody did, and to which document. */
export interface Notification {
  readonly name: string;
  readonly creation: string;
  /** `mentioned`, `assigned`, `shared`, `commented`, `changed`, `submitted`, `cancelled` or `renamed`. */
  readonly action: string;
  /** An English sentence, for other actions. */
  readonly subject: string;
  readonly doctype: string;
  readonly document: string;
  /** The full name of the user who did it. */
  readonly by: string;
  readonly isRead: boolean;
}

/** The newest notifications, and the number of unread ones. */
export interface Notifications {
  readonly list: readonly Notification[];
  readonly unread: number;
}

interface Wire {
  readonly notification_logs: readonly Readonly<Record<string, unknown>>[];
  readonly user_info: Readonly<Record<string, { readonly fullname: string }>>;
  readonly unread: number;
}

/** The user's notifications, newest first. */
export const notificationsQuery = queryOptions({
  queryKey: keys.method(`${METHODS}.get_notification_logs`),
  queryFn: async ({ signal }): Promise<Notifications> => {
    const wire = await readMethod<Wire>(`${METHODS}.get_notification_logs`, { limit: 50 }, { signal });
    const list = wire.notification_logs.map((row) => ({
      name: String(row['name']),
      creation: String(row['creation']),
      action: String(row['action'] ?? ''),
      subject: String(row['subject'] ?? ''),
      doctype: String(row['document_type'] ?? ''),
      document: String(row['document_name'] ?? ''),
      by: wire.user_info[String(row['from_user'])]?.fullname ?? String(row['from_user'] ?? ''),
      isRead: row['read'] === 1,
    }));
    return { list, unread: wire.unread };
  },
});

export async function markAsRead(name: string): Promise<void> {
  await callMethod(`${METHODS}.mark_as_read`, { docname: name });
}

export async function markAllAsRead(): Promise<void> {
  await callMethod(`${METHODS}.mark_all_as_read`);
}
