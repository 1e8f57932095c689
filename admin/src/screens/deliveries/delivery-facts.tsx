import { formatDatetime, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { DeliveryDetails } from '../../data/deliveries.ts';
import { Button } from '../../widgets/button.tsx';
import css from './deliveries.module.css';
import { eventWord } from './delivery-words.ts';
import { errorWords } from './error-words.ts';

/** Origin, document and result of a delivery. */
export function DeliveryFacts({
  delivery,
  onOpen,
}: {
  readonly delivery: DeliveryDetails;
  readonly onOpen: (name: string) => void;
}) {
  const { resend_of: former } = delivery;
  return (
    <dl className={css['facts']}>
      <dt>{t('Time')}</dt>
      <dd>{formatDatetime(delivery.creation, 'full')}</dd>
      <dt>{t('Webhook')}</dt>
      <dd>
        <PathLink to={paths.webhook(delivery.webhook)}>{delivery.webhook}</PathLink>
      </dd>
      <dt>{t('Document')}</dt>
      <dd>
        <PathLink to={paths.record(delivery.reference_doctype, delivery.reference_document)}>
          {delivery.reference_doctype} {delivery.reference_document}
        </PathLink>
      </dd>
      <dt>{t('Event')}</dt>
      <dd>
        {eventWord(delivery.event)} · {t('by {user}', { user: delivery.user })}
      </dd>
      <dt>webhook-id</dt>
      <dd>
        <code>{delivery.webhook_id}</code>
      </dd>
      <dt>{t('Number')}</dt>
      <dd>{formatNumber(delivery.sequence)}</dd>
      {former && (
        <>
          <dt>{t('Resend of')}</dt>
          <dd>
            <Button kind="quiet" onClick={() => onOpen(former)}>
              {former}
            </Button>
          </dd>
        </>
      )}
      {delivery.next_retry && (
        <>
          <dt>{t('Next retry')}</dt>
          <dd>{formatDatetime(delivery.next_retry, 'full')}</dd>
        </>
      )}
      {delivery.error && (
        <>
          <dt>{t('Error')}</dt>
          <dd className={css['error']}>{errorWords(delivery.error)}</dd>
        </>
      )}
    </dl>
  );
}
