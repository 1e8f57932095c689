import type { FastifyInstance } from 'fastify';
import type { Siblings } from '../../site/siblings.ts';
import type { Buckets } from './buckets.ts';

/** Milliseconds between two messages: for so long, workers may not know of each other's requests. */
const EVERY = 100;

const TOPIC = 'quotas';

/** What callers have spent of each quota. */
type Spent = Readonly<Record<string, readonly (readonly [key: string, cost: number])[]>>;

/**
 * Makes the workers of one server count together: each tells the others what its callers have spent, and they take it
 * from their own buckets.
 */
export function shareQuotas(
  app: FastifyInstance,
  quotas: Readonly<Record<string, Buckets | null>>,
  siblings: Siblings,
): void {
  if (siblings.worker === null) return;
  const counted = Object.entries(quotas).flatMap(([name, buckets]) =>
    buckets ? [[name, buckets] as const] : [],
  );
  for (const [, buckets] of counted) buckets.noteSpending();
  siblings.answer(TOPIC, (spent) => {
    const now = performance.now();
    for (const [name, buckets] of counted) {
      for (const [key, cost] of (spent as Spent)[name] ?? []) buckets.charge(key, cost, now);
    }
  });
  const timer = setInterval(() => {
    const spent: Spent = Object.fromEntries(counted.map(([name, buckets]) => [name, buckets.takeSpending()]));
    if (Object.values(spent).some((list) => list.length > 0)) siblings.tell(TOPIC, spent);
  }, EVERY);
  // A server that fails to start is never closed.
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
