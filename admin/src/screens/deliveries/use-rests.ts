import { useQuery } from '@tanstack/react-query';
import { type Delivery, isWaiting } from '../../data/deliveries.ts';
import { readOverview } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';

/** Milliseconds between refreshes while deliveries wait. */
const LOOK = 5_000;

/** When the receivers that rest get their next attempt, by webhook. Asks only while a delivery waits. */
export function useRests(rows: readonly Delivery[] | undefined): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['method', 'chancery.webhook.overview', 1],
    queryFn: ({ signal }) => readOverview(1, signal),
    enabled: may('Webhook', 'read') && rows?.some(isWaiting) === true,
    refetchInterval: LOOK,
  });
  return new Map(
    (data?.webhooks ?? []).flatMap(({ webhook, resting_until: until }) =>
      until === null ? [] : [[webhook, until] as const],
    ),
  );
}
