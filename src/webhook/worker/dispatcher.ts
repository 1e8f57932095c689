import type { Site } from '../../document/contract.ts';
import type { FairFlow, FlowAttempt, Ruling } from '../flow/fair-flow.ts';
import { urlOrigin } from '../queue/outbox.ts';
import { type DeliveryQueue, POISON, type Quota } from '../queue/queue.ts';
import type { Delivery } from '../send/delivery.ts';
import type { Outcome } from '../send/delivery-request.ts';
import { Backlog } from './backlog.ts';
import { Marks } from './marks.ts';
import { Targets } from './target-cache.ts';
import type { WebhookTarget } from './targets.ts';

/** The functions that the dispatcher calls. */
export interface Surroundings {
  /** False while outcomes that cannot be recorded pile up, and during shutdown. */
  mayBegin(): boolean;
  /** Makes one attempt. Never throws. */
  attempt(delivery: Delivery, target: WebhookTarget): Promise<Outcome>;
  /** The attempt ended. */
  ended(delivery: Delivery, target: WebhookTarget, outcome: Outcome, ruling: Ruling): void;
  /** The delivery will not be tried, because processes died of it. */
  poisoned(delivery: Delivery): void;
  failed(where: string, error: unknown): void;
}

/** Webhooks, and approximate deliveries, per read: newly due ones wait while these are read. */
const LINES = 64;
const DELIVERIES = 512;
/** The longest run of starts without a look at new events; milliseconds. */
const SLICE = 4;
/** The longest wait of a delivery in memory; milliseconds. */
const PATIENCE = 60_000;

/**
 * Prefetches the next deliveries of each webhook, and begins one whenever the flow allows it. Idle when
 * nothing is due.
 */
export class Dispatcher {
  readonly #queue: DeliveryQueue;
  readonly #flow: FairFlow;
  readonly #around: Surroundings;
  readonly #targets: Targets;
  readonly #marks: Marks;
  readonly #lines = new Map<string, Backlog>();
  readonly #inFlight = new Set<Promise<void>>();
  /** Webhooks whose next delivery is suspect and has to wait for others. */
  readonly #heldUp = new Set<string>();
  #reading: Promise<void> | null = null;
  #planned = false;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(site: Site, queue: DeliveryQueue, flow: FairFlow, around: Surroundings) {
    this.#queue = queue;
    this.#flow = flow;
    this.#around = around;
    this.#targets = new Targets(site);
    this.#marks = new Marks(queue);
  }

  /** Reports webhooks with due deliveries. */
  offer(webhooks: readonly string[]): void {
    for (const webhook of webhooks) this.#lineOf(webhook).more = true;
    if (webhooks.length > 0) this.plan();
  }

  /** Retries the suspects that had to wait for another: it has ended, or was in flight long enough. */
  offerHeldUp(): void {
    if (this.#heldUp.size === 0) return;
    for (const webhook of this.#heldUp) {
      const line = this.#lines.get(webhook);
      if (line && line.size > 0) this.#flow.ready(webhook, line.origin, line.rate);
    }
    this.#heldUp.clear();
    this.plan();
  }

  /** Reports webhooks that changed: drops their cached state. */
  async forget(webhooks: readonly string[]): Promise<void> {
    const dropped = webhooks.flatMap((webhook) => {
      this.#targets.forget(webhook);
      this.#flow.changed(webhook);
      return this.#emptied(webhook);
    });
    await this.#release(dropped);
    this.offer(webhooks);
  }

  /**
   * Releases deliveries that cannot begin for a while, so that none is kept beyond its lease, and those that another
   * process sends now. Call it regularly.
   */
  async shed(): Promise<void> {
    const before = performance.now() - PATIENCE;
    await this.#drop(
      ({ readAt, webhook }) =>
        readAt <= before || this.#flow.appetite(webhook) === 0 || !this.#queue.isHere(webhook),
    );
  }

  /** Gives back all that is in memory, at once: another process may have taken it over. */
  giveBack(): void {
    void this.#drop(() => true);
  }

  /** Schedules a run after the events of this turn of the event loop. Call it after each heartbeat. */
  plan(): void {
    if (this.#planned || this.#stopped) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#goOn();
    });
  }

  /** Begins no more attempts. Resolves when all attempts have ended and the rest is released. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#reading;
    await this.#release([...this.#lines.keys()].flatMap((webhook) => this.#emptied(webhook)));
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #lineOf(webhook: string): Backlog {
    let line = this.#lines.get(webhook);
    if (!line) {
      line = new Backlog(webhook);
      this.#lines.set(webhook, line);
    }
    return line;
  }

  /** Releases what is in memory of these webhooks. It is taken again later. */
  async #drop(which: (line: Backlog) => boolean): Promise<void> {
    const dropped: Delivery[] = [];
    for (const line of this.#lines.values()) {
      if (line.size === 0 || !which(line)) continue;
      dropped.push(...this.#emptied(line.webhook));
      line.more = true;
    }
    await this.#release(dropped);
  }

  #emptied(webhook: string): readonly Delivery[] {
    this.#flow.idle(webhook);
    return this.#lines.get(webhook)?.empty() ?? [];
  }

  async #release(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    // If the release fails, the next heartbeat returns the deliveries.
    await this.#queue
      .release(deliveries)
      .catch((error) => this.#around.failed('releasing deliveries', error));
  }

  #goOn(): void {
    if (this.#stopped) return;
    const until = performance.now() + SLICE;
    while (this.#mayBegin()) {
      if (performance.now() > until) {
        this.plan();
        break;
      }
      const webhook = this.#flow.pick();
      if (webhook === null) break;
      this.#begin(this.#lineOf(webhook));
    }
    this.#read();
    // Otherwise the next heartbeat or record goes on: the time that the flow tells may have passed.
    if (this.#mayBegin()) this.#sleep();
  }

  #mayBegin(): boolean {
    return this.#around.mayBegin() && !this.#queue.isFenced();
  }

  // Sleeps until time alone may let an attempt begin.
  #sleep(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const wait = this.#flow.wait();
    this.#timer =
      wait === Number.POSITIVE_INFINITY ? null : setTimeout(() => this.plan(), Math.min(wait, 60_000));
  }

  #begin(line: Backlog): void {
    const delivery = line.shift((wary) => this.#queue.admits(wary));
    if (delivery && line.size > 0) this.#flow.ready(line.webhook, line.origin, line.rate);
    else this.#flow.idle(line.webhook);
    if (!delivery) {
      if (line.size > 0) this.#heldUp.add(line.webhook);
      return;
    }
    const origin = urlOrigin(delivery.url) ?? '';
    const running = this.#run(delivery, this.#flow.began(line.webhook, origin)).finally(() => {
      this.#inFlight.delete(running);
      this.plan();
    });
    this.#inFlight.add(running);
  }

  async #run(delivery: Delivery, turn: FlowAttempt): Promise<void> {
    const target = this.#targets.known(delivery.webhook) ?? (await this.#target(delivery.webhook));
    const isReady = target && (!this.#queue.isCautious(delivery) || (await this.#isMarked(delivery)));
    // A process that was frozen meanwhile may have lost the delivery.
    if (!isReady || this.#queue.isFenced()) {
      this.#flow.ended(turn, null);
      return this.#release([delivery]);
    }
    const outcome = await this.#around.attempt(delivery, target);
    const ruling = this.#flow.ended(turn, outcome);
    this.#around.ended(delivery, target, outcome, ruling);
  }

  async #isMarked(delivery: Delivery): Promise<boolean> {
    try {
      return await this.#marks.make(delivery);
    } catch (error) {
      this.#around.failed('recording the deliveries about to be sent', error);
      return false;
    }
  }

  async #target(webhook: string): Promise<WebhookTarget | undefined> {
    try {
      return (await this.#targets.load([webhook])).get(webhook);
    } catch (error) {
      this.#around.failed(`reading webhook ${webhook}`, error);
      return undefined;
    }
  }

  #read(): void {
    if (this.#reading || this.#stopped) return;
    const wanting = this.#wanting();
    if (wanting.length === 0) return;
    this.#reading = this.#readFor(wanting)
      .then(
        () => true,
        (error: unknown) => {
          this.#around.failed('reading deliveries', error);
          return false;
        },
      )
      .then((well) => {
        this.#reading = null;
        // After a failure the next search starts again.
        if (well) this.plan();
      });
  }

  /**
   * Webhooks with few deliveries in memory and more in the queue. The first ones move to the end, so that
   * each gets its turn.
   */
  #wanting(): Backlog[] {
    const wanting: Backlog[] = [];
    let deliveries = 0;
    for (const line of this.#lines.values()) {
      if (!line.more || line.ahead * 2 > this.#appetiteOf(line)) {
        if (!line.more && line.size === 0) this.#lines.delete(line.webhook);
        continue;
      }
      // Checked again when its deliveries are next found due.
      if (this.#appetiteOf(line) === 0) {
        line.more = false;
        continue;
      }
      wanting.push(line);
      deliveries += this.#appetiteOf(line);
      if (wanting.length === LINES || deliveries >= DELIVERIES) break;
    }
    for (const line of wanting) {
      this.#lines.delete(line.webhook);
      this.#lines.set(line.webhook, line);
    }
    return wanting;
  }

  #appetiteOf(line: Backlog): number {
    return Math.min(line.portion, this.#flow.appetite(line.webhook));
  }

  async #readFor(lines: readonly Backlog[]): Promise<void> {
    const targets = await this.#targets.load(lines.map(({ webhook }) => webhook));
    const quotas: Quota[] = [];
    for (const line of lines) {
      line.more = false;
      const limit = this.#appetiteOf(line) - line.ahead;
      const firstAttempts = this.#flow.isRecovering(line.webhook);
      const target = targets.get(line.webhook);
      if (target && limit > 0)
        quotas.push({ webhook: line.webhook, limit, firstAttempts, undivided: target.rate !== null });
    }
    if (quotas.length === 0) return;
    const taken = await this.#queue.take(quotas).catch((error: unknown) => {
      for (const line of lines) line.more = true;
      throw error;
    });
    const poisonous = new Set(taken.filter(({ suspect }) => suspect >= POISON));
    for (const delivery of poisonous) this.#around.poisoned(delivery);
    const fit = taken.filter((delivery) => !poisonous.has(delivery));
    const byWebhook = Map.groupBy(fit, ({ webhook }) => webhook);
    const counts = Map.groupBy(taken, ({ webhook }) => webhook);
    for (const { webhook, limit, firstAttempts = false } of quotas) {
      const line = this.#lineOf(webhook);
      if ((counts.get(webhook)?.length ?? 0) >= limit) line.more = true;
      const deliveries = byWebhook.get(webhook);
      if (!deliveries) continue;
      line.add(deliveries, (delivery) => this.#queue.isCautious(delivery), firstAttempts);
      line.rate = targets.get(webhook)?.rate ?? null;
      this.#flow.ready(webhook, line.origin, line.rate);
    }
  }
}
