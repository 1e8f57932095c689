import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { t } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { markAllAsRead, type Notification, notificationsQuery } from '../../data/notifications.ts';
import { queryClient } from '../../data/query-client.ts';
import { wantTitles } from '../../meta/link-titles.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel, tellFailure } from '../../widgets/error-panel.tsx';
import { Spinner } from '../../widgets/feedback.tsx';
import css from './bell.module.css';
import { NotificationItem } from './notification-item.tsx';

/** The user's notifications, newest first. */
export function NotificationList({ onClose }: { readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery({ ...notificationsQuery, staleTime: 0 });
  const task = useTask();
  useTitles(data?.list ?? []);
  const heading = useRef<HTMLHeadingElement>(null);
  const readAll = () => {
    // The button goes away, and the focus must stay in the panel.
    heading.current?.focus();
    void task.run(async () => {
      await markAllAsRead();
      await queryClient.invalidateQueries({ queryKey: notificationsQuery.queryKey });
    }, tellFailure);
  };
  return (
    <div className={css['panel']}>
      <div className={css['head']}>
        <h2 ref={heading} tabIndex={-1}>
          {t('Notifications')}
        </h2>
        {data && data.unread > 0 && (
          <Button kind="quiet" icon="check" isBusy={task.isBusy} onClick={readAll}>
            {t('Mark all as read')}
          </Button>
        )}
      </div>
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : !data && <Spinner />}
      {data?.list.length === 0 && (
        <EmptyState icon="bell" title={t('No notifications')}>
          {t(
            'You see here who mentions you, assigns or shares something, and what changes in documents you follow.',
          )}
        </EmptyState>
      )}
      {data && data.list.length > 0 && (
        <ul className={css['list']} aria-label={t('Notifications')}>
          {data.list.map((notification) => (
            <NotificationItem key={notification.name} {...{ notification, onClose }} />
          ))}
        </ul>
      )}
    </div>
  );
}

function useTitles(list: readonly Notification[]): void {
  useEffect(() => {
    for (const [doctype, about] of Map.groupBy(list, (one) => one.doctype))
      wantTitles(doctype, [...new Set(about.map(({ document }) => document))]);
  }, [list]);
}
