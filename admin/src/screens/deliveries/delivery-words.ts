import { t } from '../../base/i18n.ts';
import type { DeliveryState } from '../../data/deliveries.ts';
import type { Tone } from '../../widgets/feedback.tsx';

/** Labels of delivery states. */
export function statusWord(state: DeliveryState): string {
  switch (state) {
    case 'Pending':
      return t('Queued');
    case 'Failed':
      return t('Retrying');
    case 'Delivered':
      return t('Delivered');
    case 'Exhausted':
      return t('Given up');
    case 'Recovered':
      return t('Recovered');
    case 'Held':
      return t('Held');
    case 'Cancelled':
      return t('Not sent');
  }
}

export const STATUS_TONES: Readonly<Record<DeliveryState, Tone>> = {
  Pending: 'info',
  Failed: 'warning',
  Delivered: 'success',
  Exhausted: 'danger',
  Recovered: 'success',
  Held: 'neutral',
  Cancelled: 'neutral',
};

/** `after_insert` as readable text. */
export function eventWord(event: string): string {
  switch (event) {
    case 'after_insert':
      return t('Created');
    case 'on_update':
      return t('Saved');
    case 'on_submit':
      return t('Submitted');
    case 'on_cancel':
      return t('Cancelled');
    case 'on_trash':
      return t('Deleted');
    case 'on_update_after_submit':
      return t('Changed after submission');
    case 'on_change':
      return t('Any change');
    case 'after_rename':
      return t('Renamed');
    default:
      return event;
  }
}
