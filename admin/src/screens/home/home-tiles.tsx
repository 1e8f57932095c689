import { formatDuration, formatNumber, moment } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { type RangeName, rangeChoices } from '../../charts/delivery-charts.tsx';
import type { Figures, Overview } from '../../data/webhooks.ts';
import { givenUpTile, millisText, successTile, Tiles } from '../webhooks/figure-tiles.tsx';

/** The figures of all deliveries, and of the queue. */
export function HomeTiles({
  figures,
  queue,
  range,
}: {
  readonly figures: Figures;
  readonly queue: Overview['queue'];
  readonly range: RangeName;
}) {
  const word = rangeChoices().find(({ value }) => value === range)?.label ?? range;
  const age = queue.oldest === null ? null : Math.max(0, (Date.now() - moment(queue.oldest)) / 1_000);
  return (
    <Tiles
      label={t('Figures')}
      tiles={[
        { label: t('Deliveries, {range}', { range: word }), value: formatNumber(figures.deliveries) },
        successTile(figures),
        {
          label: t('Retrying now'),
          value: formatNumber(queue.retrying),
          tone: queue.retrying > 0 ? 'warning' : 'neutral',
        },
        givenUpTile(figures),
        { label: 'p95', value: millisText(figures.p95_ms) },
        { label: t('Queue age'), value: age === null ? '–' : formatDuration(age) },
      ]}
    />
  );
}
