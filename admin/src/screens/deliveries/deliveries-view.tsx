import { useState } from 'react';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { DeliveriesTable } from './deliveries-table.tsx';
import { DeliveryBar } from './delivery-bar.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { type DeliveryFilters, filtersOf, searchOf } from './delivery-filters.ts';
import { FilterBar } from './filter-bar.tsx';
import { NoDeliveries } from './no-deliveries.tsx';
import { Pager } from './pager.tsx';
import { RestNotice } from './rest-notice.tsx';
import { useDeliveries } from './use-deliveries.ts';
import { useRests } from './use-rests.ts';

/** Deliveries of one webhook or of all, with filters, details and actions. */
export function DeliveriesView({ webhook }: { readonly webhook?: string }) {
  const { filters, page, opened, setFilters, open } = useViewState(webhook);
  const [isLive, setLive] = useState(true);
  const { rows, count } = useDeliveries(filters, page, isLive);
  const rests = useRests(rows.data);
  const refresh = () => void rows.refetch();
  const toggleLive = () => {
    setLive(!isLive);
    announce(isLive ? t('Live updates paused') : t('Live updates resumed'));
  };
  useShortcut('webhooks', 'p', t('Pause or resume'), toggleLive);
  useShortcut('webhooks', 'r', t('Refresh'), refresh);
  const table = { hasWebhook: webhook === undefined, rests, onOpen: open, opened };
  return (
    <Stack gap={3}>
      <FilterBar filters={filters} hasWebhook={webhook === undefined} onChange={setFilters} />
      <DeliveryBar
        filters={filters}
        page={page}
        length={rows.data?.length}
        count={count.data}
        isLive={isLive}
        onToggle={toggleLive}
        onRefresh={refresh}
      />
      <RestNotice rests={rests} webhook={webhook} />
      {rows.error ? (
        <ErrorPanel error={rows.error} onRetry={refresh} />
      ) : rows.data === undefined ? (
        <Skeleton height={320} />
      ) : rows.data.length === 0 ? (
        <NoDeliveries filters={filters} isFixed={webhook !== undefined} onClear={setFilters} />
      ) : (
        <DeliveriesTable rows={rows.data} {...table} />
      )}
      {rows.data && <Pager page={page} length={rows.data.length} />}
      <DeliveryDrawer name={opened} onClose={() => open(null)} onOpen={open} />
    </Stack>
  );
}

// The state of the view is in the address.
function useViewState(webhook: string | undefined) {
  const stated = useSearch(JSON.stringify);
  const search = JSON.parse(stated) as Readonly<Record<string, unknown>>;
  const setSearch = useSetSearch();
  const read = filtersOf(search);
  return {
    filters: webhook === undefined ? read : { ...read, webhook },
    page: Math.max(0, Math.floor(Number(search['page'] ?? 0)) || 0),
    opened: typeof search['delivery'] === 'string' ? search['delivery'] : null,
    setFilters: (next: DeliveryFilters) => setSearch({ ...searchOf(next), page: undefined }),
    open: (name: string | null) => setSearch({ delivery: name ?? undefined }),
  };
}
