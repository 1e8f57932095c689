import { Linked } from './chain.ts';
import type { OriginGate } from './origin-gate.ts';
import { Ramp } from './ramp.ts';
import type { TokenBucket } from './token-bucket.ts';

/** Deliveries that a webhook may begin in one turn. */
export const QUANTUM = 8;

/** A webhook as the flow sees it. */
export class Line extends Linked<Line> {
  readonly webhook: string;
  /** Where its next delivery goes; null while it has none in memory. */
  gate: OriginGate | null = null;
  /** Where its last one went. */
  lastGate: OriginGate | null = null;
  /** What it may still begin in this turn. */
  deficit = QUANTUM;
  inFlight = 0;
  bucket: TokenBucket | null = null;
  /** The receiver asked to be left alone until then. */
  pausedUntil = Number.NEGATIVE_INFINITY;
  readonly ramp = new Ramp();
  /** It is in the timeline, to be looked at then. */
  wakesAt: number | null = null;

  constructor(webhook: string) {
    super();
    this.webhook = webhook;
  }

  /** Nothing is known that would be missed. */
  isForgettable(now: number): boolean {
    return (
      this.gate === null &&
      this.inFlight === 0 &&
      this.pausedUntil <= now &&
      (this.bucket === null || this.bucket.isFull(now))
    );
  }
}
