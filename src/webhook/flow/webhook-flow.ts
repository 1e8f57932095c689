import { Linked } from './chain.ts';
import type { OriginGate } from './origin-gate.ts';
import { Ramp } from './ramp.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

/** Deliveries that a webhook may begin in one turn. */
export const QUANTUM = 8;

/** A webhook as the flow sees it. */
export class WebhookFlow extends Linked<WebhookFlow> {
  readonly webhook: string;
  /** The origin of its next delivery; null while it has none in memory. */
  gate: OriginGate<WebhookFlow> | null = null;
  /** The origin of its last delivery. */
  lastGate: OriginGate<WebhookFlow> | null = null;
  /** The deliveries left in this turn. */
  deficit = QUANTUM;
  inFlight = 0;
  bucket: TokenBucket | null = null;
  /** The receiver asked for a pause until then. */
  pausedUntil = Number.NEGATIVE_INFINITY;
  readonly ramp = new Ramp();
  /** Its time in the timeline; null when it is not there. */
  wakesAt: number | null = null;

  constructor(webhook: string) {
    super();
    this.webhook = webhook;
  }

  /** Null: no limit. Used tokens stay used. */
  setRate(rate: Rate | null, now: number): void {
    const { bucket } = this;
    if (!rate) this.bucket = null;
    else if (!bucket) this.bucket = new TokenBucket(rate, now);
    else if (bucket.rate.perMinute !== rate.perMinute || bucket.rate.burst !== rate.burst) {
      bucket.change(rate, now);
    }
  }

  /** True when its state equals that of a new one. */
  isForgettable(now: number): boolean {
    return (
      this.gate === null &&
      this.inFlight === 0 &&
      this.pausedUntil <= now &&
      (this.bucket === null || this.bucket.isFull(now))
    );
  }
}
