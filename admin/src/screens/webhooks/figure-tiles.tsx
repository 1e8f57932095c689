import type { ReactNode } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { Figures } from '../../data/webhooks.ts';
import { type Success, successOf } from './success.ts';
import css from './webhooks.module.css';

/** A number with its label. */
export interface Tile {
  readonly label: string;
  readonly value: ReactNode;
  /** What the number is made of. */
  readonly note?: string;
  readonly tone?: Success['tone'];
}

/** A row of tiles. */
export function Tiles({ tiles, label }: { readonly tiles: readonly Tile[]; readonly label: string }) {
  return (
    <section aria-label={label}>
      <dl className={css['tiles']}>
        {tiles.map((tile) => (
          <div key={tile.label} className={css['tile']} data-tone={tile.tone}>
            <dt>{tile.label}</dt>
            <dd>
              {tile.value}
              {tile.note !== undefined && <span className={css['tileNote']}>{tile.note}</span>}
            </dd>
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
        successTile(figures),
        { label: t('Waiting'), value: formatNumber(figures.waiting) },
        givenUpTile(figures),
        { label: t('Attempts'), value: formatNumber(figures.attempts) },
        { label: 'p95', value: millisText(figures.p95_ms) },
      ]}
    />
  );
}

/** The share of attempts that succeeded, and their numbers. */
export function successTile(figures: Figures): Tile {
  const { text, note, tone } = successOf(figures);
  return { label: t('Success'), value: text, note, tone };
}

/** Deliveries given up and still undelivered. Those that a resend has delivered are named beside them. */
export function givenUpTile({ exhausted, recovered }: Figures): Tile {
  return {
    label: t('Given up'),
    value: formatNumber(exhausted),
    tone: exhausted > 0 ? 'danger' : 'neutral',
    ...(recovered > 0 && { note: t('{count} recovered', { count: formatNumber(recovered) }) }),
  };
}

export function millisText(millis: number | null): string {
  return millis === null ? '–' : t('{count} ms', { count: formatNumber(millis) });
}
