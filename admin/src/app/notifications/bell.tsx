import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { announce } from '../../base/announce.ts';
import { formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { usePart } from '../../base/use-part.ts';
import { useBoot } from '../../data/boot.ts';
import { useChanges } from '../../data/events.ts';
import { NOTIFICATIONS, notificationsQuery } from '../../data/notifications.ts';
import { queryClient } from '../../data/query-client.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Popover } from '../../widgets/popover.tsx';
import css from './bell.module.css';

/** The server counts no further. */
const MOST = 100;

const loadList = async () => (await import('./notification-list.tsx')).NotificationList;

/** The button of the notifications, with the number of unread ones. */
export function Bell() {
  const [isWanted, want] = useState(false);
  const List = usePart(isWanted, loadList);
  const unread = useUnread();
  const isOpen = isWanted && List !== null;
  const label =
    unread === 0
      ? t('Notifications')
      : tn(unread, 'Notifications: {count} unread', 'Notifications: {count} unread');
  return (
    <span className={css['bell']}>
      <Popover
        isOpen={isOpen}
        onClose={() => want(false)}
        label={t('Notifications')}
        position="bottom-end"
        target={
          // The tooltip would cover the list.
          <IconButton icon="bell" label={label} hasTooltip={!isOpen} onClick={() => want(!isWanted)} />
        }
      >
        {List && <List onClose={() => want(false)} />}
      </Popover>
      {unread > 0 && (
        <span className={css['count']} aria-hidden="true">
          {unread >= MOST ? `${formatNumber(MOST - 1)}+` : formatNumber(unread)}
        </span>
      )}
    </span>
  );
}

/** Of the boot first. Each change of a notification reads the list again. */
function useUnread(): number {
  const boot = useBoot();
  const { data } = useQuery({ ...notificationsQuery, enabled: false });
  useChanges([NOTIFICATIONS], (change) => {
    if (change?.event === 'after_insert') announce(t('New notification'));
    void queryClient.fetchQuery({ ...notificationsQuery, staleTime: 0 }).catch(() => undefined);
  });
  return data?.unread ?? boot.unread;
}
