import type { Site } from '../../document/contract.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { FairFlow, type Ruling } from '../flow/fair-flow.ts';
import { isOurFault } from '../flow/verdict.ts';
import { openQueue } from '../queue/open-queue.ts';
import { type DeliveryQueue, NotOwner, RESUME, type Settlement, TEND } from '../queue/queue.ts';
import { onDeliveries, type Woken } from '../queue/wake.ts';
import { Acknowledger } from './acknowledger.ts';
import { Attempter } from './attempts.ts';
import { disableWebhook, type Notify, noticeFailing } from './disable-webhook.ts';
import { Dispatcher } from './dispatcher.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { judge, poisonedSettlement } from './judge.ts';

export interface DeliveryWorker {
  /** Deliveries may be due. */
  wake(): void;
  /** Begins no more attempts, gives those in flight a few seconds, releases the rest. */
  stop(): Promise<void>;
}

const DRAIN = 3_000;
/** The longest pause of a failing receiver, as a multiple of its first. */
const LONGEST_REST = 20;
/** A search for due deliveries takes at most this share of the time. */
const SURVEY_SHARE = 1 / 10;

/** Delivers from this process until stopped. Its own failures are reported, never thrown. */
export function startDeliveryWorker(site: Site, notify: Notify = () => {}): DeliveryWorker {
  return new Worker(site, notify);
}

class Worker implements DeliveryWorker {
  readonly #site: Site;
  readonly #attempts: Attempter;
  readonly #notify: Notify;
  readonly #health: EndpointHealth;
  readonly #flow: FairFlow;
  readonly #attending = new Set<Promise<void>>();
  readonly #begun: Promise<void>;
  #parts: Parts | null = null;
  #unsubscribe = () => {};
  #tending: NodeJS.Timeout | null = null;
  #surveying: NodeJS.Timeout | null = null;
  #surveyAt = Number.POSITIVE_INFINITY;
  #busy: Promise<unknown> = Promise.resolve();
  #surveyedAt = 0;
  #resumeAt = 0;
  #stopping: Promise<void> | null = null;

  constructor(site: Site, notify: Notify) {
    this.#site = site;
    this.#notify = notify;
    this.#attempts = new Attempter(site);
    this.#health = new EndpointHealth(site);
    const { restAfterFailures } = site.config.webhooks;
    this.#flow = new FairFlow({
      now: () => performance.now(),
      inFlight: LIMITS.deliveriesInFlight,
      perOrigin: LIMITS.deliveriesPerOrigin,
      breaker: { firstWait: restAfterFailures, longestWait: LONGEST_REST * restAfterFailures },
    });
    this.#begun = this.#begin();
  }

  wake(): void {
    this.#surveyIn(0);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #begin(): Promise<void> {
    // Recorded as a regular stop, or later processes would count this one as another death.
    const node = this.#site.random.hash(16);
    while (!this.#stopping) {
      try {
        const queue = openQueue(this.#site, node);
        await queue.join();
        this.#flow.divide(queue.processes);
        await this.#resume(queue);
        await this.#learn();
        this.#parts = this.#assemble(queue);
        break;
      } catch (error) {
        this.#failed('webhook worker, starting', error);
        await new Promise((resolve) => setTimeout(resolve, TEND));
      }
    }
    if (this.#stopping) return;
    this.#unsubscribe = onDeliveries(this.#site.database, {
      node,
      committed: (woken) => this.#woken(woken),
      elsewhere: () => this.#surveyIn(0),
    });
    this.#tending = setInterval(() => this.#tend(), TEND);
    this.#surveyIn(0);
  }

  #assemble(queue: DeliveryQueue): Parts {
    const acknowledger = new Acknowledger(queue, {
      settled: (settlements, due) => this.#settled(settlements, due),
      failed: (error) => this.#failed('recording deliveries', error),
    });
    const dispatcher = new Dispatcher(this.#site, queue, this.#flow, {
      mayBegin: () => !this.#stopping && acknowledger.size < LIMITS.deliveriesUnrecorded,
      attempt: (delivery, target) => this.#attempts.make(delivery, target),
      ended: (delivery, target, outcome, ruling) => {
        if (outcome.error?.kind === 'cancelled') return;
        // One process alone keeps what limits attempts over time.
        const isLimited = target.rate !== null || this.#flow.isRecovering(delivery.webhook);
        const pace = isLimited ? 'slow' : ruling.pace;
        if (pace !== null) queue.note(delivery.webhook, pace);
        const settlement = judge(this.#site, delivery, target, outcome, ruling.refund);
        this.#observe(settlement);
        acknowledger.add(settlement);
        this.#followUp(settlement, ruling);
      },
      poisoned: (delivery) => {
        const settlement = poisonedSettlement(this.#site, delivery);
        this.#observe(settlement);
        acknowledger.add(settlement);
      },
      failed: (where, error) => this.#failed(where, error),
    });
    return { queue, acknowledger, dispatcher };
  }

  /** Returns the other processes that must send some of it; null: not known. */
  #woken({ due, changed }: Woken): readonly string[] | null {
    const { dispatcher, queue } = this.#parts ?? {};
    if (!dispatcher || !queue) return null;
    for (const webhook of changed) this.#health.forget(webhook);
    if (changed.length > 0) void dispatcher.forget(changed);
    const { here, elsewhere } = queue.sendersOf(due);
    dispatcher.offer(here);
    return elsewhere;
  }

  #settled(settlements: readonly Settlement[], due: readonly string[]): void {
    const { dispatcher, queue } = this.#parts ?? {};
    dispatcher?.offer(due);
    if (settlements.some(({ delivery }) => queue?.isCautious(delivery))) dispatcher?.offerHeldUp();
    dispatcher?.plan();
    const delays = settlements.filter(({ state }) => state === 'retry' || state === 'refunded');
    for (const { delay } of delays) this.#surveyIn(delay);
  }

  #tend(): void {
    const queue = this.#parts?.queue;
    if (!queue) return;
    this.#alone('webhook worker', async () => {
      if (queue.isFenced()) this.#parts?.dispatcher.giveBack();
      const { areSomeWaiting, healthAt } = await queue.tend();
      this.#flow.divide(queue.processes);
      await this.#resume(queue);
      if (this.#health.mayHaveChanged(healthAt)) await this.#learn();
      await this.#health.flush();
      await this.#parts?.dispatcher.shed();
      this.#parts?.dispatcher.offerHeldUp();
      this.#parts?.dispatcher.plan();
      if (areSomeWaiting) await this.#survey();
    });
  }

  /** Retries held deliveries now and then, and once after the start, since settings may have changed. */
  async #resume(queue: DeliveryQueue): Promise<void> {
    const now = performance.now();
    if (now < this.#resumeAt) return;
    await queue.resume();
    this.#resumeAt = now + RESUME;
  }

  /** Brings the next search forward to `delay` milliseconds from now; never postpones it. */
  #surveyIn(delay: number): void {
    if (this.#stopping || !this.#parts) return;
    const at = Math.max(performance.now() + delay, this.#surveyedAt);
    if (this.#surveyAt <= at) return;
    if (this.#surveying) clearTimeout(this.#surveying);
    this.#surveyAt = at;
    this.#surveying = setTimeout(
      () => this.#alone('webhook worker', () => this.#survey()),
      Math.max(0, at - performance.now()),
    );
  }

  async #survey(): Promise<void> {
    const { queue, dispatcher } = this.#parts ?? {};
    if (!queue || !dispatcher || this.#stopping) return;
    this.#surveyAt = Number.POSITIVE_INFINITY;
    const begun = performance.now();
    const waiting = await queue.waiting();
    const ended = performance.now();
    this.#surveyedAt = ended + (ended - begun) / SURVEY_SHARE;
    dispatcher.offer(waiting.filter(({ dueIn }) => dueIn <= 0).map(({ webhook }) => webhook));
    const later = waiting.filter(({ dueIn }) => dueIn > 0).map(({ dueIn }) => dueIn);
    const next = later.reduce((least, dueIn) => Math.min(least, dueIn), Number.POSITIVE_INFINITY);
    // The clock may jump, so the worker never sleeps past the next round.
    if (next < TEND) this.#surveyIn(next);
  }

  /** Runs jobs one after another: concurrent ones would only block each other in the database. */
  #alone(where: string, work: () => Promise<void>): void {
    this.#busy = this.#busy.then(work).catch((error: unknown) => this.#failed(where, error));
  }

  async #stop(): Promise<void> {
    this.#unsubscribe();
    if (this.#tending) clearInterval(this.#tending);
    if (this.#surveying) clearTimeout(this.#surveying);
    await this.#begun;
    await this.#busy;
    const stopping = (error: unknown) => this.#failed('webhook worker, stopping', error);
    const timer = setTimeout(() => void this.#attempts.close(), DRAIN);
    await Promise.all([this.#parts?.dispatcher.stop(), this.#parts?.queue.retire().catch(stopping)]);
    clearTimeout(timer);
    await this.#attempts.close();
    await this.#parts?.acknowledger.flush();
    await Promise.all(this.#attending);
    await this.#health.flush().catch(stopping);
    await this.#parts?.queue.leave().catch(stopping);
  }

  #failed(where: string, error: unknown): void {
    this.#site.observe({ kind: 'unexpected', where, error });
    if (error instanceof NotOwner) void this.stop();
  }

  #observe({ delivery, state, outcome }: Settlement): void {
    const { name, webhook } = delivery;
    const result = outcome.error?.kind ?? 'delivered';
    const { millis } = outcome;
    this.#site.observe({ kind: 'delivery_attempted', delivery: name, webhook, outcome: result, millis });
    if (state !== 'exhausted') return;
    const reason = outcome.error ? `${outcome.error.kind}: ${outcome.error.text}` : '';
    this.#site.observe({ kind: 'delivery_given_up', delivery: name, webhook, reason });
  }

  #followUp({ delivery, outcome }: Settlement, { refund }: Ruling): void {
    const { webhook, isTest } = delivery;
    if (refund !== null || isTest || isOurFault(outcome)) return;
    // 410 Gone: the receiver will never listen there again.
    if (outcome.status === 410) {
      this.#disable(webhook, 'the receiver answered 410 Gone');
      return;
    }
    const well = outcome.error === null;
    const probeIn = this.#flow.probeIn(webhook);
    const consequence = this.#health.note(webhook, well, outcome.retryAfter, probeIn);
    if (consequence === null) return;
    if (consequence === 'disable') this.#disable(webhook, 'all deliveries have failed for too long');
    else this.#attend(webhook, noticeFailing(this.#site, webhook, consequence.noticeHours, this.#notify));
  }

  #disable(webhook: string, reason: string): void {
    this.#attend(webhook, disableWebhook(this.#site, webhook, reason, this.#notify));
  }

  #attend(webhook: string, work: Promise<void>): void {
    const attending = work
      .catch((error: unknown) => this.#failed(`disabling webhook ${webhook}`, error))
      .finally(() => this.#attending.delete(attending));
    this.#attending.add(attending);
  }

  /** Reads what other and earlier processes found out about receivers. */
  async #learn(): Promise<void> {
    for (const { webhook, pausedFor, isResting } of await this.#health.learn()) {
      if (pausedFor > 0) this.#flow.pause(webhook, pausedFor);
      if (pausedFor > 0 || isResting) this.#parts?.queue.note(webhook, 'slow');
      else this.#flow.changed(webhook);
    }
  }
}

interface Parts {
  readonly queue: DeliveryQueue;
  readonly acknowledger: Acknowledger;
  readonly dispatcher: Dispatcher;
}
