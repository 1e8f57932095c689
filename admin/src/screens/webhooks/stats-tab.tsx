import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { formatDatetime, formatNumber, formatPercent } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { DeliveryCharts, RANGES } from '../../charts/delivery-charts.tsx';
import { RangePicker, useRange } from '../../charts/range-picker.tsx';
import { readStats, type WebhookStats } from '../../data/webhooks.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Table } from '../../widgets/table.tsx';
import { errorWords, httpWords } from '../deliveries/error-words.ts';
import { FigureTiles } from './figure-tiles.tsx';
import css from './webhooks.module.css';

/** Statistics of a webhook: figures, charts, responses and errors. */
export function StatsTab({ webhook }: { readonly webhook: string }) {
  const range = useRange();
  const { data, error, refetch } = useQuery({
    queryKey: ['method', 'chancery.webhook.stats', webhook, range],
    queryFn: ({ signal }) => readStats({ ...RANGES[range], webhook, details: true }, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack>
      <Row>
        <RangePicker />
      </Row>
      {error ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={320} />
      ) : (
        <>
          <FigureTiles figures={data.total} />
          <div className={css['charts']}>
            <DeliveryCharts stats={data} range={range} />
          </div>
          <Breakdown stats={data} />
        </>
      )}
    </Stack>
  );
}

function Breakdown({ stats }: { readonly stats: WebhookStats }) {
  const { statuses = [], errors = [], total } = stats;
  const share = (attempts: number) => formatPercent((attempts / Math.max(1, total.attempts)) * 100, 1);
  return (
    <div className={css['charts']}>
      <Stack gap={2}>
        <h2>{t('Responses')}</h2>
        {statuses.length === 0 ? (
          <Muted>{t('No attempts in this period')}</Muted>
        ) : (
          <Table
            label={t('Responses')}
            rows={statuses}
            rowKey={({ response_status: status }) => String(status)}
            columns={[
              {
                id: 'status',
                label: t('Status'),
                isHeader: true,
                cell: ({ response_status: status }) => (status === 0 ? t('No response') : httpWords(status)),
              },
              {
                id: 'attempts',
                label: t('Attempts'),
                isNumber: true,
                cell: ({ attempts }) => formatNumber(attempts),
              },
              {
                id: 'share',
                label: t('Proportion'),
                isNumber: true,
                cell: ({ attempts }) => share(attempts),
              },
            ]}
          />
        )}
      </Stack>
      <Stack gap={2}>
        <h2>{t('Most frequent errors')}</h2>
        {errors.length === 0 ? (
          <Muted>{t('No errors in this period')}</Muted>
        ) : (
          <Table
            label={t('Most frequent errors')}
            rows={errors}
            rowKey={({ error }) => error}
            columns={[
              {
                id: 'error',
                label: t('Error'),
                isHeader: true,
                cell: ({ error }) => <span className={css['breaks']}>{errorWords(error)}</span>,
              },
              {
                id: 'attempts',
                label: t('Attempts'),
                isNumber: true,
                cell: ({ attempts }) => formatNumber(attempts),
              },
              { id: 'last', label: t('Last'), cell: ({ last }) => formatDatetime(last) },
            ]}
          />
        )}
      </Stack>
    </div>
  );
}
