import { useState } from 'react';
import { formatNumber, formatRelative } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { BulkAction, WebhookOverview } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { Card, Muted, Row, Stack, Truncate } from '../../widgets/layout.tsx';
import { BulkDialog } from '../deliveries/bulk-dialog.tsx';
import { filtersOf } from '../deliveries/delivery-filters.ts';
import { clockText } from '../deliveries/delivery-row.tsx';
import { errorWords } from '../deliveries/error-words.ts';
import { filtersNow } from '../deliveries/use-deliveries.ts';
import css from './home.module.css';

/** Maximum failing webhooks listed. */
const MOST = 6;
/** What needs attention: retried, and given up without a later delivery. */
const STATES = ['Exhausted', 'Failed'] as const;

/** Webhooks that failed in the last 24 hours, independent of the charts' range. */
export function Failing({ webhooks }: { readonly webhooks: readonly WebhookOverview[] }) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const failing = webhooks
    .filter((one) => one.last_error !== null)
    .toSorted((a, b) => b.exhausted + b.waiting - (a.exhausted + a.waiting));
  if (failing.length === 0) return null;
  const resend = (webhook: string) =>
    setAction({
      kind: 'resend',
      filters: filtersNow({ ...filtersOf({}), webhook, status: STATES, span: '24h' }),
    });
  return (
    <Card label={t('Failing webhooks')}>
      <Stack gap={2}>
        <h2>{t('Failing webhooks')}</h2>
        <ul className={css['recent']}>
          {failing.slice(0, MOST).map((one) => (
            <FailingWebhook key={one.webhook} one={one} onResend={() => resend(one.webhook)} />
          ))}
        </ul>
        {failing.length > MOST && <PathLink to={paths.webhooks()}>{t('All webhooks')}</PathLink>}
      </Stack>
      {action && <BulkDialog action={action} onClose={() => setAction(null)} />}
    </Card>
  );
}

function FailingWebhook({ one, onResend }: { readonly one: WebhookOverview; readonly onResend: () => void }) {
  const facts = [
    ...(one.exhausted > 0 ? [t('{count} given up', { count: formatNumber(one.exhausted) })] : []),
    ...(one.waiting > 0 ? [t('{count} waiting', { count: formatNumber(one.waiting) })] : []),
    ...(one.resting_until === null ? [] : [t('next probe {time}', { time: clockText(one.resting_until) })]),
    ...(one.last_error_at ? [formatRelative(one.last_error_at)] : []),
  ];
  return (
    <li>
      <div className={css['failing']}>
        <PathLink to={paths.webhook(one.webhook)}>
          <Truncate text={one.webhook} />
        </PathLink>
        <span className={css['error']}>
          <Truncate text={errorWords(one.last_error ?? '')} />
        </span>
        <Muted isSmall>{facts.join(' · ')}</Muted>
      </div>
      <Row>
        <PathLink to={paths.deliveries({ webhook: one.webhook, status: STATES.join(','), span: '24h' })}>
          {t('Deliveries')}
        </PathLink>
        {may('Webhook', 'write') && (
          <Button icon="send" onClick={onResend}>
            {t('Resend failed')}
          </Button>
        )}
      </Row>
    </li>
  );
}
