import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDuration, formatNumber, formatRelative, moment } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { DeliveryCharts, RANGES, type RangeName, rangeChoices } from '../../charts/delivery-charts.tsx';
import { RangePicker, useRange } from '../../charts/range-picker.tsx';
import type { BulkAction, Figures, Overview, WebhookOverview } from '../../data/webhooks.ts';
import { readOverview, readStats } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Card, Muted, Row, Stack, Truncate } from '../../widgets/layout.tsx';
import { BulkDialog } from '../deliveries/bulk-dialog.tsx';
import { filtersOf } from '../deliveries/delivery-filters.ts';
import { filtersNow } from '../deliveries/use-deliveries.ts';
import { givenUpTile, millisText, successTile, Tiles } from '../webhooks/figure-tiles.tsx';
import { NoWebhooks } from '../webhooks/no-webhooks.tsx';
import css from './home.module.css';

/** Milliseconds between refreshes. Long ranges cost the server more and change less. */
const LOOK = { '1h': 10_000, '24h': 15_000, '7d': 60_000, '30d': 300_000 } as const;
/** Range of the failing webhooks, in hours. */
const LATELY = 24;
/** Maximum failing webhooks listed. */
const MOST = 6;

/** Delivery figures and charts, and the webhooks that fail. */
export function DeliveryHome() {
  const range = useRange();
  const overview = useQuery({
    queryKey: ['method', 'chancery.webhook.overview', LATELY],
    queryFn: ({ signal }) => readOverview(LATELY, signal),
    refetchInterval: LOOK['24h'],
  });
  const stats = useQuery({
    queryKey: ['method', 'chancery.webhook.stats', '', range],
    queryFn: ({ signal }) => readStats(RANGES[range], signal),
    placeholderData: keepPreviousData,
    refetchInterval: LOOK[range],
  });
  const error = overview.error ?? stats.error;
  if (error)
    return (
      <ErrorPanel
        error={error}
        onRetry={() => {
          void overview.refetch();
          void stats.refetch();
        }}
      />
    );
  if (!overview.data || !stats.data) return <Skeleton height={420} />;
  if (overview.data.webhooks.length === 0 && stats.data.total.deliveries === 0)
    return may('Webhook', 'create') ? (
      <Card>
        <NoWebhooks />
      </Card>
    ) : null;
  return (
    <Stack>
      <Row isApart>
        <h2>{t('Deliveries')}</h2>
        <RangePicker />
      </Row>
      <HomeTiles figures={stats.data.total} queue={overview.data.queue} range={range} />
      <div className={css['columns']}>
        <DeliveryCharts stats={stats.data} range={range} />
      </div>
      <Failing webhooks={overview.data.webhooks} />
    </Stack>
  );
}

function HomeTiles({
  figures,
  queue,
  range,
}: {
  readonly figures: Figures;
  readonly queue: Overview['queue'];
  readonly range: RangeName;
}) {
  const choices = rangeChoices();
  const word = choices.find(({ value }) => value === range)?.label ?? range;
  const age = queue.oldest === null ? null : Math.max(0, (Date.now() - moment(queue.oldest)) / 1_000);
  return (
    <Tiles
      label={t('Figures')}
      tiles={[
        { label: t('Deliveries, {range}', { range: word }), value: formatNumber(figures.deliveries) },
        successTile(figures),
        { label: t('Retrying now'), value: formatNumber(queue.retrying) },
        givenUpTile(figures),
        { label: 'p95', value: millisText(figures.p95_ms) },
        { label: t('Queue age'), value: age === null ? '–' : formatDuration(age) },
      ]}
    />
  );
}

// Figures of the last 24 hours, independent of the charts' range.
function Failing({ webhooks }: { readonly webhooks: readonly WebhookOverview[] }) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const failing = webhooks
    .filter((one) => one.last_error !== null)
    .toSorted((a, b) => b.exhausted + b.waiting - (a.exhausted + a.waiting));
  if (failing.length === 0) return null;
  const resend = (webhook: string) =>
    setAction({
      kind: 'resend',
      filters: filtersNow({ ...filtersOf({}), webhook, status: ['Exhausted', 'Failed'], span: '24h' }),
    });
  return (
    <Card label={t('Failing webhooks')}>
      <Stack gap={2}>
        <h2>{t('Failing webhooks')}</h2>
        <ul className={css['recent']}>
          {failing.slice(0, MOST).map((one) => (
            <li key={one.webhook}>
              <div className={css['failing']}>
                <PathLink to={paths.webhook(one.webhook)}>
                  <Truncate text={one.webhook} />
                </PathLink>
                <Muted isSmall>
                  <Truncate text={one.last_error ?? ''} />
                </Muted>
              </div>
              <Row>
                <Muted isSmall>
                  {t('{count} given up', { count: formatNumber(one.exhausted) })}
                  {one.last_error_at && ` · ${formatRelative(one.last_error_at)}`}
                </Muted>
                <PathLink
                  to={paths.deliveries({ webhook: one.webhook, status: 'Failed,Exhausted', span: '24h' })}
                >
                  {t('Deliveries')}
                </PathLink>
                {may('Webhook', 'write') && (
                  <Button icon="send" onClick={() => resend(one.webhook)}>
                    {t('Resend failed')}
                  </Button>
                )}
              </Row>
            </li>
          ))}
        </ul>
        {failing.length > MOST && <PathLink to={paths.webhooks()}>{t('All webhooks')}</PathLink>}
      </Stack>
      {action && <BulkDialog action={action} onClose={() => setAction(null)} />}
    </Card>
  );
}
