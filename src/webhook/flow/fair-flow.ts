import type { Outcome } from '../send/delivery-request.ts';
import type { BreakerRules } from './breaker.ts';
import { Chain, Linked } from './chain.ts';
import { type Pace, SLOW } from './concurrency.ts';
import { NetworkGuard } from './network-guard.ts';
import { OriginGate } from './origin-gate.ts';
import { SlowShare } from './slow-share.ts';
import { Timeline } from './timeline.ts';
import type { Rate } from './token-bucket.ts';
import { verdictOf } from './verdict.ts';
import { QUANTUM, WebhookFlow } from './webhook-flow.ts';

/** Limits of a flow, and its clock. */
export interface FlowOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Concurrent attempts in all, and to one origin. */
  readonly inFlight: number;
  readonly perOrigin: number;
  readonly breaker: BreakerRules;
}

/** An attempt in flight. */
export class FlowAttempt extends Linked<FlowAttempt> {
  readonly flow: WebhookFlow;
  readonly gate: OriginGate<WebhookFlow>;
  readonly at: number;
  readonly isProbe: boolean;
  readonly isNetworkProbe: boolean;

  constructor(
    flow: WebhookFlow,
    gate: OriginGate<WebhookFlow>,
    at: number,
    isProbe: boolean,
    isNetworkProbe: boolean,
  ) {
    super();
    this.flow = flow;
    this.gate = gate;
    this.at = at;
    this.isProbe = isProbe;
    this.isNetworkProbe = isNetworkProbe;
  }
}

/** The consequences of an outcome beyond its delivery. */
export interface Ruling {
  /**
   * Milliseconds until a retry that does not count as an attempt, since the outcome tells nothing of the
   * receiver. Null: the attempt counts.
   */
  readonly refund: number | null;
  /** Good: the receiver answered. Bad: it failed. Null: the outcome tells nothing of it. */
  readonly verdict: 'good' | 'bad' | null;
  /** How much the receiver takes at once, by this and earlier attempts; null: in between, or unknown. */
  readonly pace: Pace | null;
}

/** Webhooks and origins without attempts in flight whose state is kept. */
const REMEMBERED = 20_000;
/** Milliseconds between two origins that get a second attempt because their first one hangs. */
const TRIAL = 100;
/** Deliveries to prefetch: enough for this many milliseconds, and this many at most. */
const AHEAD = 2_000;
const MOST_AHEAD = 1_024;

/**
 * Schedules attempts fairly. Webhooks take turns of `QUANTUM` deliveries. A webhook whose origin is full,
 * slow, failing or resting is set aside until that changes, so the cost of finding the next one does not grow
 * with the number of webhooks. A share of all attempts is free of slow origins, so fast receivers always have
 * room.
 */
export class FairFlow {
  readonly #options: FlowOptions;
  readonly #flows = new Map<string, WebhookFlow>();
  readonly #gates = new Map<string, OriginGate<WebhookFlow>>();
  readonly #guard = new NetworkGuard();
  /** Webhooks that may begin, as far as is known. */
  readonly #ring = new Chain<WebhookFlow>();
  readonly #slow: SlowShare;
  readonly #timeline = new Timeline<WebhookFlow>();
  /** Attempts in flight that are not late yet, in order of their start. */
  readonly #young = new Chain<FlowAttempt>();
  #inFlight = 0;
  /** The part of this process in the attempts to one origin. */
  #perOrigin: number;
  /** The last time at which an origin with a hanging first attempt got a second one. */
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FlowOptions) {
    this.#options = options;
    this.#slow = new SlowShare(options.inFlight);
    this.#perOrigin = options.perOrigin;
  }

  /** The number of attempts in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Divides the attempts to each origin among this many processes. */
  divide(processes: number): void {
    const most = Math.max(1, Math.floor(this.#options.perOrigin / processes));
    if (most === this.#perOrigin) return;
    this.#perOrigin = most;
    for (const { concurrency } of this.#gates.values()) concurrency.allow(most);
  }

  /**
   * The webhook has deliveries in memory; the next one goes to `origin`. Rate null: no limit but the
   * receiver's own speed.
   */
  ready(webhook: string, origin: string, rate: Rate | null): void {
    const flow = this.#flowOf(webhook);
    const gate = this.#gateOf(origin);
    flow.setRate(rate, this.#options.now());
    if (flow.gate === gate) return;
    // A webhook that was idle goes first; otherwise it would queue behind every untested receiver.
    const isFirst = flow.gate === null && !gate.isSlow;
    flow.gate = gate;
    if (isFirst) this.#ring.addFirst(flow);
    else this.#ring.add(flow);
  }

  /** The webhook has no deliveries in memory. */
  idle(webhook: string): void {
    const flow = this.#flows.get(webhook);
    if (!flow) return;
    const { gate } = flow;
    flow.gate = null;
    flow.chain?.remove(flow);
    // This webhook may have held the place that others wait for.
    if (gate && gate.blocked.size + this.#slow.waiting > 0) this.#letOthersGo(gate, this.#options.now());
  }

  /** Sends nothing to the receiver for this many milliseconds, and little at first afterwards. */
  pause(webhook: string, millis: number): void {
    const now = this.#options.now();
    const flow = this.#flowOf(webhook);
    flow.pausedUntil = Math.max(flow.pausedUntil, now + millis);
    flow.ramp.start(flow.pausedUntil);
  }

  /** The webhook changed: it may have another receiver, or the receiver may have recovered. */
  changed(webhook: string): void {
    const flow = this.#flows.get(webhook);
    if (!flow) return;
    const now = this.#options.now();
    flow.pausedUntil = Number.NEGATIVE_INFINITY;
    flow.ramp.stop();
    (flow.gate ?? flow.lastGate)?.breaker.probeNow(now);
    if (flow.gate) this.#ring.add(flow);
  }

  /** How many deliveries of the webhook to prefetch: as many as could begin soon; 0 while none may begin. */
  appetite(webhook: string): number {
    const now = this.#options.now();
    const flow = this.#flows.get(webhook);
    const gate = flow?.gate ?? flow?.lastGate ?? null;
    if (this.#guard.wait(now) > 0 || (flow && flow.pausedUntil > now)) return 0;
    if (!flow || !gate) return QUANTUM;
    if (gate.breaker.isOpen) return gate.breaker.wait(now) > 0 ? 0 : 1;
    const { limit, average } = gate.concurrency;
    const soon = average === 0 ? 2 * limit : (limit * AHEAD) / Math.max(1, average);
    const { bucket } = flow;
    const allowed = bucket ? bucket.rate.burst + (bucket.rate.perMinute * AHEAD) / 60_000 : MOST_AHEAD;
    return Math.max(1, Math.min(MOST_AHEAD, Math.ceil(soon), Math.ceil(allowed)));
  }

  /** Milliseconds until the next probe of the webhook's receiver; 0 while its breaker is closed. */
  probeIn(webhook: string): number {
    const flow = this.#flows.get(webhook);
    const wait = (flow?.gate ?? flow?.lastGate)?.breaker.wait(this.#options.now()) ?? 0;
    return Number.isFinite(wait) ? wait : 0;
  }

  /** True when the receiver has just recovered after a pause. */
  isRecovering(webhook: string): boolean {
    const now = this.#options.now();
    const flow = this.#flows.get(webhook);
    const gate = flow?.gate ?? flow?.lastGate;
    return flow !== undefined && (flow.ramp.isOn(now) || gate?.ramp.isOn(now) === true);
  }

  /** The webhook whose next delivery is to begin now; null when none may. */
  pick(): string | null {
    const now = this.#options.now();
    this.#noticeLate(now);
    for (let due = this.#timeline.take(now); due; due = this.#timeline.take(now)) this.#wake(due);
    if (this.#inFlight >= this.#options.inFlight || this.#guard.wait(now) > 0) return null;
    for (let flow = this.#ring.first; flow; flow = this.#ring.first) {
      const { gate } = flow;
      if (!gate || this.#setAside(flow, gate, now)) {
        if (!gate) this.#ring.remove(flow);
        continue;
      }
      flow.deficit -= 1;
      if (flow.deficit <= 0 || this.#guard.isTripped) {
        flow.deficit = QUANTUM;
        this.#ring.add(flow);
      }
      return flow.webhook;
    }
    return null;
  }

  /** Milliseconds until `pick` may answer differently, if no attempt ends before. */
  wait(): number {
    const now = this.#options.now();
    const guard = this.#guard.wait(now);
    const next = Math.max(0, Math.min(this.#timeline.next, this.#nextLate()) - now);
    return guard > 0 && this.#ring.size > 0 ? Math.min(guard, next) : next;
  }

  began(webhook: string, origin: string): FlowAttempt {
    const now = this.#options.now();
    const flow = this.#flowOf(webhook);
    const gate = this.#gateOf(origin);
    flow.lastGate = gate;
    flow.inFlight += 1;
    flow.bucket?.take(now);
    flow.ramp.began(now);
    const attempt = new FlowAttempt(flow, gate, now, gate.began(now), this.#guard.began());
    this.#young.add(attempt);
    this.#inFlight += 1;
    this.#slow.began(gate);
    return attempt;
  }

  /** Records the end of an attempt. Outcome null: the attempt was not made. */
  ended(attempt: FlowAttempt, outcome: Outcome | null): Ruling {
    const now = this.#options.now();
    const { flow, gate } = attempt;
    const seen = outcome ? verdictOf(outcome) : null;
    attempt.chain?.remove(attempt);
    flow.inFlight -= 1;
    this.#inFlight -= 1;
    this.#slow.ended(gate);
    if (!outcome) flow.bucket?.giveBack();
    const ours = this.#guard.ended(now, gate.name, seen?.network ?? 'none', attempt.isNetworkProbe);
    const verdict = !seen || ours ? 'none' : seen.origin;
    gate.ended(now, now - attempt.at, verdict, attempt.isProbe);
    this.#slow.reckon(gate);
    if (outcome?.retryAfter) this.pause(flow.webhook, outcome.retryAfter);
    this.#letOthersGo(gate, now);
    const refund = ours ? this.#guard.pause : null;
    return { refund, verdict: verdict === 'none' ? null : verdict, pace: gate.pace };
  }

  #flowOf(webhook: string): WebhookFlow {
    let flow = this.#flows.get(webhook);
    if (!flow) {
      if (this.#flows.size >= REMEMBERED) this.#forgetFlows();
      flow = new WebhookFlow(webhook);
      this.#flows.set(webhook, flow);
    }
    return flow;
  }

  #gateOf(origin: string): OriginGate<WebhookFlow> {
    let gate = this.#gates.get(origin);
    if (!gate) {
      if (this.#gates.size >= REMEMBERED) this.#forgetGates();
      gate = new OriginGate(origin, this.#perOrigin, this.#options.breaker);
      this.#gates.set(origin, gate);
    }
    return gate;
  }

  #forgetFlows(): void {
    const now = this.#options.now();
    for (const [webhook, flow] of this.#flows) if (flow.isForgettable(now)) this.#flows.delete(webhook);
  }

  #forgetGates(): void {
    const needed = new Set<OriginGate<WebhookFlow>>();
    for (const { gate } of this.#flows.values()) if (gate) needed.add(gate);
    for (const [origin, gate] of this.#gates) {
      if (gate.isForgettable && !needed.has(gate)) this.#gates.delete(origin);
    }
  }

  /** False when the webhook may begin an attempt now; otherwise moves it to the queue of its obstacle. */
  #setAside(flow: WebhookFlow, gate: OriginGate<WebhookFlow>, now: number): boolean {
    const wait = Math.max(
      flow.pausedUntil - now,
      flow.bucket?.wait(now) ?? 0,
      flow.ramp.wait(now),
      gate.wait(now),
    );
    if (wait > 0 && wait !== Number.POSITIVE_INFINITY) this.#sleep(flow, now + wait);
    else if (wait > 0 || gate.isFull) gate.blocked.add(flow);
    else if (gate.isSlow && !this.#slow.hasRoomFor(gate)) this.#slow.add(flow, gate);
    else return false;
    flow.deficit = QUANTUM;
    return true;
  }

  #sleep(flow: WebhookFlow, at: number): void {
    flow.chain?.remove(flow);
    if (flow.wakesAt !== null && flow.wakesAt <= at) return;
    flow.wakesAt = at;
    this.#timeline.add(at, flow);
  }

  #wake(flow: WebhookFlow): void {
    // An entry that was added again for an earlier time comes up twice.
    flow.wakesAt = null;
    if (flow.gate && flow.chain === null) this.#ring.add(flow);
  }

  /** The time at which the oldest attempt becomes late, if that lets another begin. */
  #nextLate(): number {
    const oldest = this.#young.first;
    if (!oldest || oldest.gate.blocked.size === 0 || oldest.gate.concurrency.isKnown)
      return Number.POSITIVE_INFINITY;
    return oldest.at + SLOW;
  }

  #noticeLate(now: number): void {
    for (let attempt = this.#young.first; attempt && now - attempt.at >= SLOW; attempt = this.#young.first) {
      this.#young.remove(attempt);
      const { concurrency } = attempt.gate;
      // When many origins hang at once, the cause is common to them, and a second attempt tells nothing.
      if (!concurrency.isKnown && now >= this.#triedAt + TRIAL) {
        this.#triedAt = now;
        concurrency.tryAnother();
      }
      concurrency.isLate();
      this.#slow.reckon(attempt.gate);
      this.#letOthersGo(attempt.gate, now);
    }
  }

  #letOthersGo(gate: OriginGate<WebhookFlow>, now: number): void {
    const wait = gate.breaker.wait(now);
    let room = gate.breaker.isOpen ? 1 : gate.concurrency.limit - gate.inFlight;
    for (let flow = gate.blocked.first; flow && room > 0; flow = gate.blocked.first) {
      if (wait === Number.POSITIVE_INFINITY) break;
      this.#ring.add(flow);
      room -= 1;
    }
    this.#slow.release(this.#ring);
  }
}
