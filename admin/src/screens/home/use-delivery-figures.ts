import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { RANGES, type RangeName } from '../../charts/delivery-charts.tsx';
import { readOverview, readStats } from '../../data/webhooks.ts';

/** Milliseconds between refreshes. Long ranges cost the server more and change less. */
const LOOK = { '1h': 10_000, '24h': 15_000, '7d': 60_000, '30d': 300_000 } as const;
/** Range of the failing webhooks, in hours. */
const LATELY = 24;

/** Figures of all webhooks: of the chosen range, and of each webhook in the last 24 hours. */
export function useDeliveryFigures(range: RangeName, isOn: boolean) {
  const overview = useQuery({
    queryKey: ['method', 'chancery.webhook.overview', LATELY],
    queryFn: ({ signal }) => readOverview(LATELY, signal),
    enabled: isOn,
    refetchInterval: LOOK['24h'],
  });
  const stats = useQuery({
    queryKey: ['method', 'chancery.webhook.stats', '', range],
    queryFn: ({ signal }) => readStats(RANGES[range], signal),
    enabled: isOn,
    placeholderData: keepPreviousData,
    refetchInterval: LOOK[range],
  });
  return {
    overview: overview.data,
    stats: stats.data,
    error: overview.error ?? stats.error,
    retry: () => {
      void overview.refetch();
      void stats.refetch();
    },
  };
}
