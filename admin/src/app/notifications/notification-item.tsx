import { useRef } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useTask } from '../../base/use-task.ts';
import { markAsRead, type Notification, notificationsQuery } from '../../data/notifications.ts';
import { queryClient } from '../../data/query-client.ts';
import { useTitleOf } from '../../meta/link-titles.ts';
import { Ago } from '../../widgets/ago.tsx';
import { IconButton } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import css from './bell.module.css';

interface ItemProps {
  readonly notification: Notification;
  readonly onClose: () => void;
}

/** A notification. It leads to its document; that marks it as read. */
export function NotificationItem({ notification, onClose }: ItemProps) {
  const { name, doctype, document, isRead, creation } = notification;
  const titleOf = useTitleOf();
  const task = useTask();
  const link = useRef<HTMLAnchorElement>(null);
  const read = () =>
    void task.run(async () => {
      await markAsRead(name);
      await queryClient.invalidateQueries({ queryKey: notificationsQuery.queryKey });
    }, tellFailure);
  const open = () => {
    if (!isRead) read();
    onClose();
  };
  return (
    <li className={css['item']} data-unread={!isRead || undefined}>
      <PathLink ref={link} to={paths.record(doctype, document)} className={css['link']} onClick={open}>
        {!isRead && <span className="visually-hidden">{`${t('Unread')}: `}</span>}
        <span dir="auto">{sentenceOf(notification, titleOf(doctype, document) ?? document)}</span>
        <span className={css['when']}>
          {t(doctype)} · <Ago timestamp={creation} />
        </span>
      </PathLink>
      {!isRead && (
        <IconButton
          isSmall
          icon="check"
          label={t('Mark as read')}
          onClick={() => {
            // The button goes away, and the focus must stay in the panel.
            link.current?.focus();
            read();
          }}
        />
      )}
    </li>
  );
}

function sentenceOf({ action, by: user, subject }: Notification, document: string): string {
  switch (action) {
    case 'mentioned':
      return t('{user} mentioned you in {document}', { user, document });
    case 'assigned':
      return t('{user} assigned {document} to you', { user, document });
    case 'shared':
      return t('{user} shared {document} with you', { user, document });
    case 'commented':
      return t('{user} commented on {document}', { user, document });
    case 'changed':
      return t('{user} changed {document}', { user, document });
    case 'submitted':
      return t('{user} submitted {document}', { user, document });
    case 'cancelled':
      return t('{user} cancelled {document}', { user, document });
    case 'renamed':
      return t('{user} renamed {document}', { user, document });
    default:
      return subject;
  }
}
