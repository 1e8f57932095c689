import { useQuery } from '@tanstack/react-query';
import { formatDatetime, formatRelative } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import { toast } from '../../../base/toasts.ts';
import { useTask } from '../../../base/use-task.ts';
import { type Delivery, LOG, listDeliveries } from '../../../data/deliveries.ts';
import type { Filter } from '../../../data/documents.ts';
import { useFreshness } from '../../../data/events.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { resendDelivery } from '../../../data/webhooks.ts';
import { may } from '../../../meta/permissions.ts';
import { Button } from '../../../widgets/button.tsx';
import { ErrorPanel, tellFailure } from '../../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { eventWord, STATUS_TONES, statusWord } from '../../deliveries/delivery-words.ts';
import css from './beside.module.css';

/** Deliveries for a document, with their states. */
export function DeliveryList({ doctype, name }: { readonly doctype: string; readonly name: string }) {
  useFreshness([LOG]);
  const filters: readonly Filter[] = [
    ['reference_doctype', '=', doctype],
    ['reference_document', '=', name],
  ];
  const { data, error, refetch, isPending } = useQuery({
    queryKey: keys.list(LOG, { filters, limit_page_length: 50 }),
    queryFn: ({ signal }) => listDeliveries(filters, {}, signal),
  });
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton height={60} />;
  if (data.length === 0) return <Muted>{t('No deliveries for this document.')}</Muted>;
  return (
    <ul className={css['entries']}>
      {data.map((delivery) => (
        <Entry key={delivery.name} delivery={delivery} />
      ))}
    </ul>
  );
}

function Entry({ delivery }: { readonly delivery: Delivery }) {
  const { isBusy, run } = useTask();
  const resend = () =>
    run(async () => {
      await resendDelivery(delivery.name);
      toast('success', t('Delivery resent'));
      await queryClient.invalidateQueries({ queryKey: keys.lists(LOG) });
    }, tellFailure);
  return (
    <li className={css['entry']}>
      <div className={css['byline']}>
        <Badge tone={STATUS_TONES[delivery.status]}>{statusWord(delivery.status)}</Badge>
        <PathLink to={paths.deliveries({ delivery: delivery.name })} dir="auto">
          {delivery.webhook}
        </PathLink>
        <Muted isSmall>{eventWord(delivery.event)}</Muted>
        {delivery.response_status > 0 && <Muted isSmall>HTTP {delivery.response_status}</Muted>}
        <time className={css['when']} dateTime={delivery.creation} title={formatDatetime(delivery.creation)}>
          {formatRelative(delivery.creation)}
        </time>
        {may('Webhook', 'write') && (
          <Button icon="refresh" isBusy={isBusy} onClick={resend}>
            {t('Resend')}
          </Button>
        )}
      </div>
      {delivery.error && <Muted isSmall>{delivery.error}</Muted>}
    </li>
  );
}
