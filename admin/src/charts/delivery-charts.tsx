import { currentCustoms, formatNumber } from '../base/format.ts';
import { t } from '../base/i18n.ts';
import { momentOf, timestampOf } from '../base/time-zone.ts';
import type { StatsRange, WebhookStats } from '../data/webhooks.ts';
import { ChartCard } from './chart-card.tsx';
import { alongSlots, type Slot, slotsOf } from './spans.ts';

/** Time ranges of the charts. */
export const RANGES = {
  '1h': { hours: 1, by: 'minute' },
  '24h': { hours: 24, by: 'hour' },
  '7d': { hours: 168, by: 'hour' },
  '30d': { hours: 720, by: 'day' },
} as const satisfies Readonly<Record<string, StatsRange>>;
export type RangeName = keyof typeof RANGES;

/** Options of the range picker. */
export function rangeChoices(): readonly { readonly value: RangeName; readonly label: string }[] {
  return [
    { value: '1h', label: t('1 h') },
    { value: '24h', label: t('24 h') },
    { value: '7d', label: t('7 d') },
    { value: '30d', label: t('30 d') },
  ];
}

/** Parses a range from the address. */
export function rangeOf(stated: unknown, otherwise: RangeName = '24h'): RangeName {
  return typeof stated === 'string' && Object.hasOwn(RANGES, stated) ? (stated as RangeName) : otherwise;
}

/** Charts of delivery outcomes and attempt durations over time. */
export function DeliveryCharts({
  stats,
  range,
}: {
  readonly stats: WebhookStats;
  readonly range: RangeName;
}) {
  const { hours, by } = RANGES[range];
  const slots = siteSlots(by, hours);
  const counts = (pick: (one: WebhookStats['hours'][number]) => number) =>
    alongSlots(slots, stats.hours, ({ hour }) => hour, pick, 0);
  const times = (pick: (one: WebhookStats['hours'][number]) => number | null) =>
    alongSlots<WebhookStats['hours'][number], number | null>(
      slots,
      stats.hours,
      ({ hour }) => hour,
      pick,
      null,
    );
  return (
    <>
      <ChartCard
        title={t('Deliveries')}
        kind="bars"
        slots={slots}
        format={(value) => formatNumber(value)}
        empty={t('No deliveries in this period')}
        series={[
          { label: t('Delivered'), color: '--c-success-text', values: counts((one) => one.delivered) },
          {
            label: t('Waiting'),
            color: '--c-border-strong',
            values: counts((one) => one.waiting + one.held),
          },
          ...(stats.total.recovered > 0
            ? [
                {
                  label: t('Recovered'),
                  color: '--c-accent-text',
                  values: counts((one) => one.recovered),
                },
              ]
            : []),
          { label: t('Given up'), color: '--c-danger-text', values: counts((one) => one.exhausted) },
        ]}
      />
      <ChartCard
        title={t('Attempt duration')}
        kind="lines"
        slots={slots}
        format={(value) => t('{count} ms', { count: formatNumber(value) })}
        empty={t('No attempts in this period')}
        series={[
          { label: 'p50', color: '--c-accent-text', values: times((one) => one.p50_ms) },
          { label: 'p95', color: '--c-warning-text', values: times((one) => one.p95_ms), dash: [8, 4] },
          { label: 'p99', color: '--c-danger-text', values: times((one) => one.p99_ms), dash: [2, 3] },
        ]}
      />
    </>
  );
}

/** Slots up to now in the site's time zone. */
export function siteSlots(by: StatsRange['by'], hours: number): Slot[] {
  const { siteZone } = currentCustoms();
  return slotsOf(by, hours, Date.now(), {
    timestampOf: (millis) => timestampOf(millis, siteZone),
    momentOf: (timestamp) => momentOf(timestamp, siteZone),
  });
}
