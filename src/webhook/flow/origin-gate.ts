import { Breaker, type BreakerRules } from './breaker.ts';
import { Chain, type Linked } from './chain.ts';
import { Concurrency, type Pace } from './concurrency.ts';
import { Ramp } from './ramp.ts';

/**
 * The limits of one origin (scheme, host, port): concurrent attempts, none while its breaker is open, few at
 * first afterwards.
 */
export class OriginGate<W extends Linked<W>> {
  readonly name: string;
  readonly breaker: Breaker;
  readonly concurrency: Concurrency;
  readonly ramp = new Ramp();
  /** Webhooks whose next delivery goes here and waits for an attempt here to end. */
  readonly blocked = new Chain<W>();
  inFlight = 0;
  /** Counts as slow. */
  isSlow = true;

  constructor(name: string, most: number, rules: BreakerRules) {
    this.name = name;
    this.breaker = new Breaker(rules);
    this.concurrency = new Concurrency(most);
  }

  get isFull(): boolean {
    return this.inFlight >= this.concurrency.limit;
  }

  /** How much it takes at once; null: in between, or unknown. */
  get pace(): Pace | null {
    return this.breaker.isOpen ? 'slow' : this.concurrency.pace;
  }

  /** True when its state equals that of a new one. */
  get isForgettable(): boolean {
    return this.inFlight === 0 && this.blocked.size === 0 && this.breaker.isUntroubled;
  }

  /** Milliseconds until an attempt may begin; infinite while the breaker's probe is in flight. */
  wait(now: number): number {
    return Math.max(this.breaker.wait(now), this.ramp.wait(now));
  }

  /** True when the attempt is the breaker's probe. */
  began(now: number): boolean {
    this.inFlight += 1;
    this.ramp.began(now);
    return this.breaker.began();
  }

  ended(now: number, millis: number, verdict: 'good' | 'bad' | 'none', isProbe: boolean): void {
    this.inFlight -= 1;
    if (verdict !== 'none') this.concurrency.ended(millis, verdict === 'good');
    if (this.breaker.ended(now, verdict, isProbe)) this.ramp.start(now);
  }
}
