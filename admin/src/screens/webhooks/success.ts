import { formatNumber, formatPercent } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { Figures } from '../../data/webhooks.ts';
import type { Tone } from '../../widgets/feedback.tsx';

/** How well attempts go. */
export interface Success {
  /** A share, or a dash without attempts. */
  readonly text: string;
  readonly note: string;
  readonly tone: Extract<Tone, 'neutral' | 'success' | 'warning' | 'danger'>;
}

/** Shares below which attempts fail too often, and far too often. */
const WARNING = 0.99;
const DANGER = 0.9;

/**
 * The share of attempts that succeeded. Deliveries would mislead during an outage: all of them are retried, so
 * none has failed yet.
 */
export function successOf({ attempts, failed_attempts: failed }: Figures): Success {
  if (attempts === 0) return { text: '–', note: t('No attempts'), tone: 'neutral' };
  const good = attempts - failed;
  const share = good / attempts;
  // At most 99.9%, because 100% means that every attempt succeeded.
  const shown = failed === 0 ? 100 : Math.min(share * 100, 99.9);
  return {
    text: formatPercent(shown, 1),
    note: t('{good} of {all} attempts', { good: formatNumber(good), all: formatNumber(attempts) }),
    tone: share < DANGER ? 'danger' : share < WARNING ? 'warning' : 'success',
  };
}
