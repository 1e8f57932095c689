import { Breaker, type BreakerRules } from './breaker.ts';
import { Chain } from './chain.ts';
import { Concurrency } from './concurrency.ts';
import type { Line } from './line.ts';
import { Ramp } from './ramp.ts';

/** What one origin (scheme, host, port) bears: attempts at a time, none while its breaker is open, few at first after that. */
export class OriginGate {
  readonly name: string;
  readonly breaker: Breaker;
  readonly concurrency: Concurrency;
  readonly ramp = new Ramp();
  /** Webhooks whose next delivery goes here and that wait for another attempt here to end. */
  readonly blocked = new Chain<Line>();
  inFlight = 0;
  /** Counted among the slow ones. */
  isSlow = true;

  constructor(name: string, most: number, rules: BreakerRules) {
    this.name = name;
    this.breaker = new Breaker(rules);
    this.concurrency = new Concurrency(most);
  }

  get isFull(): boolean {
    return this.inFlight >= this.concurrency.limit;
  }

  /** Nothing is known that would be missed. */
  get isForgettable(): boolean {
    return this.inFlight === 0 && this.blocked.size === 0 && this.breaker.isUntroubled;
  }

  /** Milliseconds until time lets an attempt begin; infinite while the breaker's probe is under way. */
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
