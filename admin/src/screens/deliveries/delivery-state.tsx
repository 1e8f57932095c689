import { t } from '../../base/i18n.ts';
import { type Delivery, stateOf } from '../../data/deliveries.ts';
import { Badge } from '../../widgets/feedback.tsx';
import css from './deliveries.module.css';
import { STATUS_TONES, statusWord } from './delivery-words.ts';

/** Badges of a delivery: its state, and whether it is a test or a resend. */
export function DeliveryBadges({ delivery }: { readonly delivery: Delivery }) {
  const state = stateOf(delivery);
  return (
    <span className={css['states']}>
      <Badge tone={STATUS_TONES[state]}>{statusWord(state)}</Badge>
      {delivery.isResending && <Badge tone="info">{t('Resend waits')}</Badge>}
      {delivery.is_test === 1 && <Badge>{t('Test')}</Badge>}
      {delivery.resend_of && <Badge>{t('Resent')}</Badge>}
    </span>
  );
}
