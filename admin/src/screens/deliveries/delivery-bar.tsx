import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { may } from '../../meta/permissions.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { BulkMenu } from './bulk-menu.tsx';
import css from './deliveries.module.css';
import type { DeliveryFilters } from './delivery-filters.ts';
import { ResendButton } from './resend-button.tsx';
import { PAGE_LENGTH } from './use-deliveries.ts';

interface Counted {
  readonly count: number;
  readonly isCapped: boolean;
}

/** The line between filters and rows: their number, live updates, and actions on all of them. */
export function DeliveryBar({
  filters,
  page,
  length,
  count,
  isLive,
  onToggle,
  onRefresh,
}: {
  readonly filters: DeliveryFilters;
  readonly page: number;
  /** Rows of the page; undefined while they load. */
  readonly length: number | undefined;
  readonly count: Counted | undefined;
  readonly isLive: boolean;
  readonly onToggle: () => void;
  readonly onRefresh: () => void;
}) {
  const isFollowing = isLive && page === 0;
  return (
    <Row isApart>
      <Muted isSmall>{length === undefined ? '' : rangeText(page, length, count)}</Muted>
      <Row>
        <span className={css['live']} data-live={isFollowing || undefined}>
          {isFollowing ? t('Live') : t('Paused')}
        </span>
        <IconButton
          icon={isLive ? 'pause' : 'play'}
          label={isLive ? t('Pause') : t('Resume')}
          onClick={onToggle}
        />
        <IconButton icon="refresh" label={t('Refresh')} onClick={onRefresh} />
        {may('Webhook', 'write') && (
          <>
            <ResendButton filters={filters} />
            <BulkMenu filters={filters} />
          </>
        )}
      </Row>
    </Row>
  );
}

function rangeText(page: number, length: number, count: Counted | undefined): string {
  if (length === 0) return '';
  const from = formatNumber(page * PAGE_LENGTH + 1);
  const to = formatNumber(page * PAGE_LENGTH + length);
  if (!count) return t('{from}–{to}', { from, to });
  const total = `${formatNumber(Math.max(count.count, page * PAGE_LENGTH + length))}${count.isCapped ? '+' : ''}`;
  return t('{from}–{to} of {total}', { from, to, total });
}
