import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { currentCustoms } from '../../base/format.ts';
import { LOG, listDeliveries } from '../../data/deliveries.ts';
import { countRows, type Filter } from '../../data/documents.ts';
import { type DeliveryFilters, requestFilters } from './delivery-filters.ts';

export const PAGE_LENGTH = 50;
/** Milliseconds between refreshes of the live list. */
const LOOK = 2_000;
const COUNT = 10_000;

/** A page of deliveries and their total number. Refreshes regularly while live. */
export function useDeliveries(filters: DeliveryFilters, page: number, isLive: boolean) {
  const rows = useQuery({
    queryKey: ['list', LOG, 'rows', filters, page],
    queryFn: ({ signal }) =>
      listDeliveries(filtersNow(filters), { start: page * PAGE_LENGTH, length: PAGE_LENGTH }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isLive && page === 0 ? LOOK : false,
    staleTime: 0,
  });
  const count = useQuery({
    queryKey: ['list', LOG, 'count', filters],
    queryFn: ({ signal }) => countRows(LOG, { filters: filtersNow(filters) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? COUNT : false,
    staleTime: 0,
  });
  return { rows, count };
}

/** The filters in wire form, with time spans that end now. */
export function filtersNow(filters: DeliveryFilters): Filter[] {
  return requestFilters(filters, Date.now(), currentCustoms().siteZone);
}
