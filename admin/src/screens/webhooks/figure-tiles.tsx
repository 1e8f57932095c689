import type { ReactNode } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { Figures } from '../../data/webhooks.ts';
import css from './webhooks.module.css';

/** A number with its label. */
export interface Tile {
  readonly label: string;
  readonly value: ReactNode;
  readonly isBad?: boolean;
}

/** A row of tiles. */
export function Tiles({ tiles, label }: { readonly tiles: readonly Tile[]; readonly label: string }) {
  return (
    <section aria-label={label}>
      <dl className={css['tiles']}>
        {tiles.map((tile) => (
          <div key={tile.label} className={css['tile']} data-bad={tile.isBad || undefined}>
            <dt>{tile.label}</dt>
            <dd>{tile.value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Delivery figures of a period. */
export function FigureTiles({ figures }: { readonly figures: Figures }) {
  return (
    <Tiles
      label={t('Figures')}
      tiles={[
        { label: t('Deliveries'), value: formatNumber(figures.deliveries) },
        { label: t('Success'), value: successText(figures) },
        { label: t('Waiting'), value: formatNumber(figures.waiting) },
        { label: t('Given up'), value: formatNumber(figures.exhausted), isBad: figures.exhausted > 0 },
        { label: t('Attempts'), value: formatNumber(figures.attempts) },
        { label: 'p95', value: millisText(figures.p95_ms) },
      ]}
    />
  );
}

/** The share of settled deliveries that succeeded; a dash if none is settled. */
export function successText({ delivered, exhausted }: Figures): string {
  const settled = delivered + exhausted;
  if (settled === 0) return '–';
  // At most 99.9 %, because 100 % means that every delivery succeeded.
  const share = (delivered / settled) * 100;
  const shown = share < 100 ? Math.min(share, 99.9) : share;
  return `${formatNumber(shown, shown === 100 ? 0 : 1)} %`;
}

export function millisText(millis: number | null): string {
  return millis === null ? '–' : t('{count} ms', { count: formatNumber(millis) });
}
