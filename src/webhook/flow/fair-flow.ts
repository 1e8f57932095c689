import type { Outcome } from '../deliver.ts';
import type { BreakerRules } from './breaker.ts';
import { Chain, Linked } from './chain.ts';
import { SLOW } from './concurrency.ts';
import { Line, QUANTUM } from './line.ts';
import { NetworkGuard } from './network-guard.ts';
import { OriginGate } from './origin-gate.ts';
import { Timeline } from './timeline.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';
import { verdictOf } from './verdict.ts';

/** Bounds of a flow, and where it has the time from. */
export interface FlowOptions {
  /** Milliseconds of a steady clock. */
  readonly now: () => number;
  /** Attempts at a time in all, and to one origin at most. */
  readonly inFlight: number;
  readonly perOrigin: number;
  readonly breaker: BreakerRules;
}

/** An attempt under way. */
export class Turn extends Linked<Turn> {
  readonly line: Line;
  readonly gate: OriginGate;
  readonly at: number;
  readonly isProbe: boolean;
  readonly isNetworkProbe: boolean;

  constructor(line: Line, gate: OriginGate, at: number, isProbe: boolean, isNetworkProbe: boolean) {
    super();
    this.line = line;
    this.gate = gate;
    this.at = at;
    this.isProbe = isProbe;
    this.isNetworkProbe = isNetworkProbe;
  }
}

/** What an outcome means beyond its delivery. */
export interface Ruling {
  /** Nothing was learned of the receiver: the attempt does not count, and comes again after so many milliseconds. Null: it counts. */
  readonly refund: number | null;
  /** Good: the receiver answered. Bad: it failed. Null: nothing was learned. */
  readonly verdict: 'good' | 'bad' | null;
}

/** Of what is known about webhooks and origins with nothing under way. */
const REMEMBERED = 20_000;
/** Milliseconds between two origins whose first attempt hangs and that are tried with another. */
const TRIAL = 100;
/** So many milliseconds' worth of deliveries are wanted in memory, and so many of them at most. */
const AHEAD = 2_000;
const MOST_AHEAD = 1_024;

/**
 * Decides whose turn it is. Webhooks take turns of `QUANTUM` deliveries; one whose origin is full, slow, failing or resting is set aside until
 * that changes, so that finding the next costs the same however many wait. Origins that are slow or failing have half of all
 * attempts between them, and those of whom nothing is known half of the rest, so there is always room for those that answer quickly.
 */
export class FairFlow {
  readonly #options: FlowOptions;
  readonly #lines = new Map<string, Line>();
  readonly #gates = new Map<string, OriginGate>();
  readonly #guard = new NetworkGuard();
  /** Those that may begin, as far as is known. */
  readonly #ring = new Chain<Line>();
  /** Those of slow and of unknown origins, that wait until there is room for such. */
  readonly #slow = new Chain<Line>();
  readonly #unknown = new Chain<Line>();
  readonly #timeline = new Timeline<Line>();
  /** Attempts under way that are not late yet, in the order in which they began. */
  readonly #young = new Chain<Turn>();
  #inFlight = 0;
  #slowInFlight = 0;
  /** When an origin whose first attempt hangs was last tried with another. */
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FlowOptions) {
    this.#options = options;
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The webhook has deliveries in memory; the next goes to `origin`. Without a rate it is as fast as its receiver. */
  ready(webhook: string, origin: string, rate: Rate | null): void {
    const line = this.#lineOf(webhook);
    const gate = this.#gateOf(origin);
    this.#setRate(line, rate);
    if (line.gate === gate) return;
    // One that had nothing to send goes first, or it would wait while all others are tried that nothing is known of.
    const isFirst = line.gate === null && !gate.isSlow;
    line.gate = gate;
    if (isFirst) this.#ring.addFirst(line);
    else this.#ring.add(line);
  }

  /** The webhook has none in memory. */
  idle(webhook: string): void {
    const line = this.#lines.get(webhook);
    if (!line) return;
    const { gate } = line;
    line.gate = null;
    line.chain?.remove(line);
    // It may have had the place that others wait for.
    if (gate && gate.blocked.size + this.#slow.size + this.#unknown.size > 0)
      this.#letOthersGo(gate, this.#options.now());
  }

  /** The receiver is to be left alone for so many milliseconds. */
  pause(webhook: string, millis: number): void {
    const now = this.#options.now();
    const line = this.#lineOf(webhook);
    line.pausedUntil = Math.max(line.pausedUntil, now + millis);
  }

  /** The webhook changed: its receiver may be another one, or well again. */
  changed(webhook: string): void {
    const line = this.#lines.get(webhook);
    if (!line) return;
    const now = this.#options.now();
    line.pausedUntil = Number.NEGATIVE_INFINITY;
    line.ramp.stop();
    (line.gate ?? line.lastGate)?.breaker.probeNow(now);
    if (line.gate) this.#ring.add(line);
  }

  /** How many of the webhook's deliveries to have in memory, as many as could be begun soon; 0 while none may be. */
  appetite(webhook: string): number {
    const now = this.#options.now();
    const line = this.#lines.get(webhook);
    const gate = line?.gate ?? line?.lastGate ?? null;
    if (this.#guard.wait(now) > 0 || (line && line.pausedUntil > now)) return 0;
    if (!line || !gate) return QUANTUM;
    if (gate.breaker.isOpen) return gate.breaker.wait(now) > 0 ? 0 : 1;
    const { limit, average } = gate.concurrency;
    const soon = average === 0 ? 2 * limit : (limit * AHEAD) / Math.max(1, average);
    const { bucket } = line;
    const allowed = bucket ? bucket.rate.burst + (bucket.rate.perMinute * AHEAD) / 60_000 : MOST_AHEAD;
    return Math.max(1, Math.min(MOST_AHEAD, Math.ceil(soon), Math.ceil(allowed)));
  }

  /** The webhook's receiver is just well again, after it was left alone. */
  isRecovering(webhook: string): boolean {
    const now = this.#options.now();
    const line = this.#lines.get(webhook);
    const gate = line?.gate ?? line?.lastGate;
    return line !== undefined && (line.ramp.isOn(now) || gate?.ramp.isOn(now) === true);
  }

  /** The webhook whose next delivery is to be begun now; null when none may. */
  pick(): string | null {
    const now = this.#options.now();
    this.#noticeLate(now);
    for (let due = this.#timeline.take(now); due; due = this.#timeline.take(now)) this.#wake(due);
    if (this.#inFlight >= this.#options.inFlight || this.#guard.wait(now) > 0) return null;
    for (let line = this.#ring.first; line; line = this.#ring.first) {
      const { gate } = line;
      if (!gate || this.#setAside(line, gate, now)) {
        if (!gate) this.#ring.remove(line);
        continue;
      }
      line.deficit -= 1;
      if (line.deficit <= 0 || this.#guard.isTripped) {
        line.deficit = QUANTUM;
        this.#ring.add(line);
      }
      return line.webhook;
    }
    return null;
  }

  /** Milliseconds until `pick` may answer otherwise though nothing ends meanwhile. */
  wait(): number {
    const now = this.#options.now();
    const guard = this.#guard.wait(now);
    const next = Math.max(0, Math.min(this.#timeline.next, this.#nextLate()) - now);
    return guard > 0 && this.#ring.size > 0 ? Math.min(guard, next) : next;
  }

  began(webhook: string, origin: string): Turn {
    const now = this.#options.now();
    const line = this.#lineOf(webhook);
    const gate = this.#gateOf(origin);
    line.lastGate = gate;
    line.inFlight += 1;
    line.bucket?.take(now);
    line.ramp.began(now);
    const turn = new Turn(line, gate, now, gate.began(now), this.#guard.began());
    this.#young.add(turn);
    this.#inFlight += 1;
    if (gate.isSlow) this.#slowInFlight += 1;
    return turn;
  }

  /** The attempt ended; without an outcome it was not made after all. */
  ended(turn: Turn, outcome: Outcome | null): Ruling {
    const now = this.#options.now();
    const { line, gate } = turn;
    const seen = outcome ? verdictOf(outcome) : null;
    turn.chain?.remove(turn);
    line.inFlight -= 1;
    this.#inFlight -= 1;
    if (gate.isSlow) this.#slowInFlight -= 1;
    if (!outcome) line.bucket?.giveBack();
    const ours = this.#guard.ended(now, gate.name, seen?.network ?? 'none', turn.isNetworkProbe);
    const verdict = !seen || ours ? 'none' : seen.origin;
    gate.ended(now, now - turn.at, verdict, turn.isProbe);
    this.#reckon(gate);
    if (outcome?.retryAfter) {
      this.pause(line.webhook, outcome.retryAfter);
      line.ramp.start(line.pausedUntil);
    }
    this.#letOthersGo(gate, now);
    return { refund: ours ? this.#guard.pause : null, verdict: verdict === 'none' ? null : verdict };
  }

  #lineOf(webhook: string): Line {
    let line = this.#lines.get(webhook);
    if (!line) {
      if (this.#lines.size >= REMEMBERED) this.#forgetLines();
      line = new Line(webhook);
      this.#lines.set(webhook, line);
    }
    return line;
  }

  #gateOf(origin: string): OriginGate {
    let gate = this.#gates.get(origin);
    if (!gate) {
      if (this.#gates.size >= REMEMBERED) this.#forgetGates();
      gate = new OriginGate(origin, this.#options.perOrigin, this.#options.breaker);
      this.#gates.set(origin, gate);
    }
    return gate;
  }

  #forgetLines(): void {
    const now = this.#options.now();
    for (const [webhook, line] of this.#lines) if (line.isForgettable(now)) this.#lines.delete(webhook);
  }

  #forgetGates(): void {
    const needed = new Set<OriginGate>();
    for (const { gate } of this.#lines.values()) if (gate) needed.add(gate);
    for (const [origin, gate] of this.#gates) {
      if (gate.isForgettable && !needed.has(gate)) this.#gates.delete(origin);
    }
  }

  #setRate(line: Line, rate: Rate | null): void {
    const { bucket } = line;
    if (!rate) line.bucket = null;
    else if (!bucket) line.bucket = new TokenBucket(rate, this.#options.now());
    else if (bucket.rate.perMinute !== rate.perMinute || bucket.rate.burst !== rate.burst) {
      bucket.change(rate, this.#options.now());
    }
  }

  /** False when the webhook may begin one now; else it is put where it waits for what is in its way. */
  #setAside(line: Line, gate: OriginGate, now: number): boolean {
    const wait = Math.max(
      line.pausedUntil - now,
      line.bucket?.wait(now) ?? 0,
      line.ramp.wait(now),
      gate.wait(now),
    );
    if (wait > 0 && wait !== Number.POSITIVE_INFINITY) this.#sleep(line, now + wait);
    else if (wait > 0 || gate.isFull) gate.blocked.add(line);
    else if (gate.isSlow && this.#roomFor(gate) <= 0) this.#laneOf(gate).add(line);
    else return false;
    line.deficit = QUANTUM;
    return true;
  }

  #sleep(line: Line, at: number): void {
    line.chain?.remove(line);
    if (line.wakesAt !== null && line.wakesAt <= at) return;
    line.wakesAt = at;
    this.#timeline.add(at, line);
  }

  #wake(line: Line): void {
    // One that was put in again for an earlier time turns up twice.
    line.wakesAt = null;
    if (line.gate && line.chain === null) this.#ring.add(line);
  }

  /** When the oldest attempt will be late, where that lets another begin. */
  #nextLate(): number {
    const oldest = this.#young.first;
    if (!oldest || oldest.gate.blocked.size === 0 || oldest.gate.concurrency.isKnown)
      return Number.POSITIVE_INFINITY;
    return oldest.at + SLOW;
  }

  #noticeLate(now: number): void {
    for (let turn = this.#young.first; turn && now - turn.at >= SLOW; turn = this.#young.first) {
      this.#young.remove(turn);
      const { concurrency } = turn.gate;
      // Where many hang at once it is them, or what is between, and nothing has to be found out.
      if (!concurrency.isKnown && now >= this.#triedAt + TRIAL) {
        this.#triedAt = now;
        concurrency.tryAnother();
      }
      concurrency.isLate();
      this.#reckon(turn.gate);
      this.#letOthersGo(turn.gate, now);
    }
  }

  /** Counts the origin among the slow, or no longer. */
  #reckon(gate: OriginGate): void {
    const { isSlow } = gate.concurrency;
    if (gate.isSlow === isSlow) return;
    gate.isSlow = isSlow;
    this.#slowInFlight += isSlow ? gate.inFlight : -gate.inFlight;
  }

  #letOthersGo(gate: OriginGate, now: number): void {
    const wait = gate.breaker.wait(now);
    let room = gate.breaker.isOpen ? 1 : gate.concurrency.limit - gate.inFlight;
    for (let line = gate.blocked.first; line && room > 0; line = gate.blocked.first) {
      if (wait === Number.POSITIVE_INFINITY) break;
      this.#ring.add(line);
      room -= 1;
    }
    this.#letGo(this.#slow);
    this.#letGo(this.#unknown);
  }

  #letGo(lane: Chain<Line>): void {
    const gate = lane.first?.gate;
    let room = gate ? this.#roomFor(gate) : 0;
    for (let line = lane.first; line && room > 0; line = lane.first) {
      this.#ring.add(line);
      room -= 1;
    }
  }

  /** How many more attempts origins like this one, slow or unknown, may have. */
  #roomFor(gate: OriginGate): number {
    const share = gate.concurrency.isKnown ? 1 / 2 : 3 / 4;
    return Math.floor(this.#options.inFlight * share) - this.#slowInFlight;
  }

  #laneOf(gate: OriginGate): Chain<Line> {
    return gate.concurrency.isKnown ? this.#slow : this.#unknown;
  }
}
