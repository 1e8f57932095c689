import { useState } from 'react';
import { announce } from '../../base/announce.ts';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { may } from '../../meta/permissions.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { BulkMenu } from './bulk-menu.tsx';
import css from './deliveries.module.css';
import { DeliveriesTable } from './deliveries-table.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { type DeliveryFilters, filterCount, filtersOf, searchOf } from './delivery-filters.ts';
import { FilterBar } from './filter-bar.tsx';
import { PAGE_LENGTH, useDeliveries } from './use-deliveries.ts';

/** Deliveries of one webhook or of all, with filters, details and actions. */
export function DeliveriesView({ webhook }: { readonly webhook?: string }) {
  const stated = useSearch(JSON.stringify);
  const search = JSON.parse(stated) as Readonly<Record<string, unknown>>;
  const setSearch = useSetSearch();
  const [isLive, setLive] = useState(true);
  const read = filtersOf(search);
  const filters: DeliveryFilters = webhook === undefined ? read : { ...read, webhook };
  const page = Math.max(0, Math.floor(Number(search['page'] ?? 0)) || 0);
  const opened = typeof search['delivery'] === 'string' ? search['delivery'] : null;
  const { rows, count } = useDeliveries(filters, page, isLive);
  const setFilters = (next: DeliveryFilters) => setSearch({ ...searchOf(next), page: undefined });
  const toggleLive = () => {
    setLive(!isLive);
    announce(isLive ? t('Live updates paused') : t('Live updates resumed'));
  };
  useShortcut('webhooks', 'p', t('Pause or resume'), toggleLive);
  useShortcut('webhooks', 'r', t('Refresh'), () => void rows.refetch());
  const open = (name: string | null) => setSearch({ delivery: name ?? undefined });
  return (
    <Stack gap={3}>
      <FilterBar filters={filters} hasWebhook={webhook === undefined} onChange={setFilters} />
      <Row isApart>
        <Muted isSmall>{rows.data ? rangeText(page, rows.data.length, count.data) : ''}</Muted>
        <Row>
          <span className={css['live']} data-live={isLive && page === 0 ? true : undefined}>
            {isLive && page === 0 ? t('Live') : t('Paused')}
          </span>
          <IconButton
            icon={isLive ? 'pause' : 'play'}
            label={isLive ? t('Pause') : t('Resume')}
            onClick={toggleLive}
          />
          <IconButton icon="refresh" label={t('Refresh')} onClick={() => void rows.refetch()} />
          {may('Webhook', 'write') && <BulkMenu filters={filters} />}
        </Row>
      </Row>
      {rows.error ? (
        <ErrorPanel error={rows.error} onRetry={() => void rows.refetch()} />
      ) : rows.data === undefined ? (
        <Skeleton height={320} />
      ) : rows.data.length === 0 ? (
        <NoDeliveries filters={filters} isFixed={webhook !== undefined} onClear={setFilters} />
      ) : (
        <DeliveriesTable rows={rows.data} hasWebhook={webhook === undefined} onOpen={open} opened={opened} />
      )}
      {rows.data && (rows.data.length === PAGE_LENGTH || page > 0) && (
        <Row>
          <Button
            icon="start"
            disabled={page === 0}
            onClick={() => setSearch({ page: page > 1 ? page - 1 : undefined })}
          >
            {t('Newer')}
          </Button>
          <Button
            endIcon="end"
            disabled={rows.data.length < PAGE_LENGTH}
            onClick={() => setSearch({ page: page + 1 })}
          >
            {t('Older')}
          </Button>
        </Row>
      )}
      <DeliveryDrawer name={opened} onClose={() => open(null)} onOpen={open} />
    </Stack>
  );
}

function NoDeliveries({
  filters,
  isFixed,
  onClear,
}: {
  readonly filters: DeliveryFilters;
  readonly isFixed: boolean;
  readonly onClear: (filters: DeliveryFilters) => void;
}) {
  if (filterCount(filters) <= (isFixed ? 1 : 0))
    return (
      <EmptyState icon="send" title={t('No deliveries yet')}>
        {t('Deliveries appear here with the receiver’s response.')}
      </EmptyState>
    );
  const clear = () => onClear({ ...filtersOf({}), webhook: isFixed ? filters.webhook : '' });
  return (
    <EmptyState
      icon="filter"
      title={t('No matching deliveries')}
      action={<Button onClick={clear}>{t('Clear filters')}</Button>}
    >
      {t('Change or clear the filters above.')}
    </EmptyState>
  );
}

function rangeText(
  page: number,
  length: number,
  count: { readonly count: number; readonly isCapped: boolean } | undefined,
): string {
  if (length === 0) return '';
  const from = formatNumber(page * PAGE_LENGTH + 1);
  const to = formatNumber(page * PAGE_LENGTH + length);
  if (!count) return t('{from}–{to}', { from, to });
  const total = `${formatNumber(Math.max(count.count, page * PAGE_LENGTH + length))}${count.isCapped ? '+' : ''}`;
  return t('{from}–{to} of {total}', { from, to, total });
}
