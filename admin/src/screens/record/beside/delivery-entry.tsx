import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import { toast } from '../../../base/toasts.ts';
import { useTask } from '../../../base/use-task.ts';
import { type Delivery, LOG } from '../../../data/deliveries.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { resendDelivery } from '../../../data/webhooks.ts';
import { may } from '../../../meta/permissions.ts';
import { Button } from '../../../widgets/button.tsx';
import { tellFailure } from '../../../widgets/error-panel.tsx';
import { Badge } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { eventWord, STATUS_TONES, statusWord } from '../../deliveries/delivery-words.ts';
import css from './beside.module.css';
import { EntryTime } from './entry-time.tsx';

/** A delivery for the document, with its state. */
export function DeliveryEntry({ delivery }: { readonly delivery: Delivery }) {
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
        <EntryTime at={delivery.creation} />
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
