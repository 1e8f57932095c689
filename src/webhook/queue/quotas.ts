import type { Delivery } from '../send/delivery.ts';
import type { Quota } from './queue.ts';

/**
 * Takes deliveries by quota. With `firstAttempts`, half of a quota comes from deliveries without an attempt,
 * the rest from all.
 */
export async function firstAttemptsFirst<Q extends Quota>(
  quotas: readonly Q[],
  take: (quotas: readonly Q[], isFirst: boolean) => Promise<readonly Delivery[]>,
): Promise<Delivery[]> {
  const halves = quotas
    .filter(({ firstAttempts }) => firstAttempts)
    .map((quota) => ({ ...quota, limit: Math.ceil(quota.limit / 2) }));
  const first = halves.length > 0 ? await take(halves, true) : [];
  const counts = Map.groupBy(first, ({ webhook }) => webhook);
  const rest = quotas
    .map((quota) => ({ ...quota, limit: quota.limit - (counts.get(quota.webhook)?.length ?? 0) }))
    .filter(({ limit }) => limit > 0);
  return [...first, ...(rest.length > 0 ? await take(rest, false) : [])];
}
