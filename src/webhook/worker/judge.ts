import type { Site } from '../../document/contract.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { backoffDelay } from '../../kernel/retry.ts';
import { POISON, type Settlement } from '../queue/queue.ts';
import type { Delivery } from '../send/delivery.ts';
import type { Outcome } from '../send/delivery-request.ts';
import { notSent } from './attempts.ts';
import type { WebhookTarget } from './targets.ts';

/**
 * Decides what an outcome means for its delivery. `refund`: milliseconds until a retry that does not count;
 * null otherwise.
 */
export function judge(
  site: Site,
  delivery: Delivery,
  target: WebhookTarget,
  outcome: Outcome,
  refund: number | null,
): Settlement {
  const { error } = outcome;
  const failures = delivery.attempts + 1;
  const refunded = refund !== null && error !== null;
  // The operator may allow the address, or the name may resolve to another one.
  const held = error?.kind === 'blocked_address' && !delivery.isTest;
  // A user who sends a test wants the result now.
  const mayRetry = !delivery.isTest && failures <= target.maxRetries;
  const again = error !== null && !error.final && mayRetry;
  const delay = refunded ? refund : again ? Math.max(backoff(site, failures), outcome.retryAfter ?? 0) : 0;
  const ended = site.clock.micros();
  return {
    delivery,
    state:
      error === null ? 'delivered' : refunded ? 'refunded' : held ? 'held' : again ? 'retry' : 'exhausted',
    delay,
    nextRetry: again || refunded ? shown(site, ended + delay * 1000) : null,
    startedAt: shown(site, ended - outcome.millis * 1000),
    endedAt: shown(site, ended),
    outcome,
  };
}

/** The settlement of a delivery that is not retried because processes died of it. */
export function poisonedSettlement(site: Site, delivery: Delivery): Settlement {
  const text = `the server crashed ${POISON} times while this delivery was in flight`;
  const now = shown(site, site.clock.micros());
  const outcome = notSent('process_died', text);
  return { delivery, state: 'exhausted', delay: 0, nextRetry: null, startedAt: now, endedAt: now, outcome };
}

function backoff(site: Site, failures: number): number {
  const { backoffBase: base, backoffFactor: factor, backoffCap: cap } = site.config.webhooks;
  return backoffDelay(failures, { base, factor, cap }, site.random.fraction());
}

function shown(site: Site, micros: number): string {
  return formatTimestamp(micros, site.config.timeZone);
}
