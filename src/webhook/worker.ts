import { ADMINISTRATOR } from '../access/user.ts';
import type { Site } from '../document/context.ts';
import { unitOfWork } from '../document/unit-of-work.ts';
import { updateDocument } from '../document/update.ts';
import { formatTimestamp, nowMillis } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { backoffDelay } from '../kernel/retry.ts';
import { addressGuard } from './address-guard.ts';
import type { Outcome, Sender } from './deliver.ts';
import { deliveryError } from './delivery-error.ts';
import {
  claimDeliveries,
  type Delivery,
  promoteStranded,
  type Quota,
  reclaimDeliveries,
  releaseLeases,
  type Settlement,
  settleDeliveries,
  type Waiting,
  waitingWebhooks,
} from './queue.ts';
import { renderRequest } from './request.ts';
import { loadTargets, type Target } from './targets.ts';
import { onDeliveries } from './wake.ts';

export interface DeliveryWorker {
  /** Something may be due. */
  wake(): void;
  /** Leases nothing more, gives attempts on their way a few seconds, gives back the rest. */
  stop(): Promise<void>;
}

/** Looks for due deliveries at least this often: other nodes and a jumping clock do not wake us. Milliseconds. */
const POLL = 1_000;
/** How often leases of the dead and stranded followers are looked for. */
const SWEEP = 5_000;
/** Outcomes wait this long for others to share their transaction. */
const GATHER = 2;
const SETTLE_BATCH = 64;
/** A lease outlives its attempt's deadline this many times over, so a live worker never loses one. */
const LEASE_FACTOR = 3;
const SHORTEST_LEASE = 5_000;
const DRAIN = 3_000;
/** Webhooks served by one claim. */
const CLAIM_WEBHOOKS = 64;

/** Delivers what is due from this process, until stopped. Failures of its own are observed, never thrown. */
export function startDeliveryWorker(site: Site): DeliveryWorker {
  return new Worker(site);
}

class Worker implements DeliveryWorker {
  readonly #site: Site;
  readonly #owner: string;
  /** Made for the first delivery: a process that sends nothing does not load the HTTP client. */
  #sender: Promise<Sender> | null = null;
  readonly #unsubscribe: () => void;
  /** Attempts on their way, by webhook. */
  readonly #busy = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();
  #finished: Settlement[] = [];
  #timer: NodeJS.Timeout | null = null;
  #timerAt = 0;
  #round: Promise<void> | null = null;
  #again = false;
  #stopping = false;
  #sweptAt = Number.NEGATIVE_INFINITY;
  /** Where the next claim begins among the webhooks, so that each gets its turn. */
  #turn = '';

  constructor(site: Site) {
    this.#site = site;
    this.#owner = site.random.hash(16);
    this.#unsubscribe = onDeliveries(site.database, () => this.wake());
    this.wake();
  }

  wake(): void {
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#round;
    const drained = Promise.all(this.#sending);
    const timer = setTimeout(() => void this.#closeSender(), DRAIN);
    await drained;
    clearTimeout(timer);
    await this.#closeSender();
    await this.#observed('webhook worker, stopping', async () => {
      while ((await this.#settle()) > 0);
      await this.#site.database.transaction((connection) => releaseLeases(connection, this.#owner));
    });
  }

  #openSender(): Promise<Sender> {
    const { allow } = this.#site.config.webhooks;
    this.#sender ??= import('./deliver.ts').then(({ createSender }) => createSender(addressGuard(allow)));
    return this.#sender;
  }

  async #closeSender(): Promise<void> {
    await (await this.#sender)?.close();
  }

  // Brings the next round forward to `delay` milliseconds from now; never puts it off.
  #schedule(delay: number): void {
    if (this.#stopping) return;
    if (this.#round) {
      if (delay < GATHER) this.#again = true;
      return;
    }
    const at = performance.now() + delay;
    if (this.#timer) {
      if (this.#timerAt <= at) return;
      clearTimeout(this.#timer);
    }
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#round = this.#run();
    }, delay);
  }

  async #run(): Promise<void> {
    this.#again = false;
    let next = POLL;
    const well = await this.#observed('webhook worker', async () => {
      await this.#sweep();
      // Side by side: on SQLite the two then share a commit.
      const [settled, claimed] = await Promise.allSettled([this.#settle(), this.#claim()]);
      if (settled.status === 'rejected') throw settled.reason;
      if (claimed.status === 'rejected') throw claimed.reason;
      // What was settled may have let other deliveries go.
      next = settled.value > 0 ? 0 : claimed.value;
    });
    this.#round = null;
    // After a failure outcomes are kept and tried again with the next round, not at once.
    if (well && (this.#again || this.#finished.length >= SETTLE_BATCH)) next = 0;
    else if (well && this.#finished.length > 0) next = Math.min(next, GATHER);
    this.#schedule(next);
  }

  /** Resolves to false when the work failed. */
  async #observed(where: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#site.observe({ kind: 'unexpected', where, error });
      return false;
    }
  }

  /** Resolves to the number of outcomes recorded; when that fails they are kept for the next time. */
  async #settle(): Promise<number> {
    const batch = this.#finished.splice(0, SETTLE_BATCH);
    if (batch.length === 0) return 0;
    try {
      await this.#site.database.transaction((connection) => settleDeliveries(connection, this.#site, batch));
      return batch.length;
    } catch (error) {
      this.#finished.unshift(...batch);
      throw error;
    }
  }

  async #sweep(): Promise<void> {
    const now = performance.now();
    if (now - this.#sweptAt < SWEEP) return;
    const { database } = this.#site;
    const alone = database.dialect.name === 'sqlite';
    const atStart = this.#sweptAt === Number.NEGATIVE_INFINITY;
    await database.transaction(async (connection) => {
      await reclaimDeliveries(connection, this.#site, alone && atStart ? 'all' : 'expired');
      // With one writer nothing is stranded while it runs; on PostgreSQL it can be.
      if (!alone || atStart) await promoteStranded(connection, this.#site);
    });
    this.#sweptAt = now;
  }

  /** Leases and starts what is due and has room. Resolves to the milliseconds until there may be more. */
  async #claim(): Promise<number> {
    if (this.#stopping) return POLL;
    const { database } = this.#site;
    const waiting = await waitingWebhooks(database.reader, this.#site);
    const candidates = this.#candidates(waiting);
    if (candidates.length > 0) {
      const targets = await loadTargets(this.#site, candidates);
      const quotas = this.#quotas(candidates.filter((webhook) => targets.has(webhook)));
      if (quotas.length > 0) {
        const lease = leaseOf(quotas.map(({ webhook }) => targets.get(webhook)?.timeout ?? 0));
        const claimed = await database.transaction((connection) =>
          claimDeliveries(connection, this.#site, this.#owner, lease, quotas),
        );
        for (const delivery of claimed) this.#start(delivery, targets.get(delivery.webhook));
      }
    }
    const later = waiting.filter(({ dueIn }) => dueIn > 0).map(({ dueIn }) => dueIn);
    return Math.min(POLL, ...later);
  }

  /** Webhooks with something due and room for it, beginning after the one that was served last. */
  #candidates(waiting: readonly Waiting[]): string[] {
    const due = waiting
      .filter(({ webhook, dueIn }) => dueIn <= 0 && this.#roomOf(webhook) > 0)
      .map(({ webhook }) => webhook);
    const start = due.findIndex((webhook) => webhook > this.#turn);
    const inTurn = start < 0 ? due : [...due.slice(start), ...due.slice(0, start)];
    const chosen = inTurn.slice(0, CLAIM_WEBHOOKS);
    this.#turn = chosen.at(-1) ?? this.#turn;
    return chosen;
  }

  #quotas(webhooks: readonly string[]): Quota[] {
    let room = LIMITS.deliveriesInFlight - this.#finished.length;
    for (const busy of this.#busy.values()) room -= busy;
    const quotas: Quota[] = [];
    for (const webhook of webhooks) {
      const limit = Math.min(room, this.#roomOf(webhook));
      if (limit <= 0) break;
      quotas.push({ webhook, limit });
      room -= limit;
    }
    return quotas;
  }

  #roomOf(webhook: string): number {
    return LIMITS.deliveriesPerWebhook - (this.#busy.get(webhook) ?? 0);
  }

  #start(delivery: Delivery, target: Target | undefined): void {
    if (!target) return;
    this.#busy.set(delivery.webhook, (this.#busy.get(delivery.webhook) ?? 0) + 1);
    const sending = this.#attempt(delivery, target).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  #free(webhook: string): void {
    const busy = (this.#busy.get(webhook) ?? 0) - 1;
    if (busy > 0) this.#busy.set(webhook, busy);
    else this.#busy.delete(webhook);
  }

  async #attempt(delivery: Delivery, target: Target): Promise<void> {
    const startedAt = this.#timestamp(0);
    const outcome = await this.#send(delivery, target);
    this.#free(delivery.webhook);
    if (outcome.error?.kind === 'cancelled') return;
    const settlement = this.#judge(delivery, target, outcome, startedAt);
    this.#observe(settlement, outcome);
    this.#finished.push(settlement);
    this.#schedule(this.#finished.length >= SETTLE_BATCH ? 0 : GATHER);
    if (outcome.status === 410) await this.#disable(delivery.webhook);
  }

  async #send(delivery: Delivery, target: Target): Promise<Outcome> {
    if (target.secret === null) return notSent('invalid_request', 'the secret of the webhook cannot be read');
    try {
      const now = nowMillis(this.#site.clock);
      const sender = await this.#openSender();
      return await sender.send(renderRequest(delivery, target, target.secret, now));
    } catch (error) {
      this.#site.observe({ kind: 'unexpected', where: `delivery ${delivery.name}`, error });
      return notSent('invalid_request', 'the request could not be made');
    }
  }

  #judge(delivery: Delivery, target: Target, outcome: Outcome, startedAt: string): Settlement {
    const { error } = outcome;
    const failures = delivery.attempts + 1;
    const again = error !== null && !error.final && failures <= target.maxRetries;
    const delay = again ? Math.max(this.#backoff(failures), outcome.retryAfter ?? 0) : 0;
    return {
      delivery,
      state: error === null ? 'delivered' : again ? 'retry' : 'exhausted',
      delay,
      nextRetry: again ? this.#timestamp(delay) : null,
      startedAt,
      endedAt: this.#timestamp(0),
      millis: outcome.millis,
      status: outcome.status,
      error: error && `${error.kind}: ${error.text}`,
      response: outcome.response,
      remoteIp: outcome.remoteIp,
    };
  }

  #backoff(failures: number): number {
    const { backoffBase: base, backoffFactor: factor, backoffCap: cap } = this.#site.config.webhooks;
    return backoffDelay(failures, { base, factor, cap }, this.#site.random.fraction());
  }

  #observe(settlement: Settlement, outcome: Outcome): void {
    const { name, webhook } = settlement.delivery;
    const result = outcome.error?.kind ?? 'delivered';
    this.#site.observe({
      kind: 'delivery_attempted',
      delivery: name,
      webhook,
      outcome: result,
      millis: outcome.millis,
    });
    if (settlement.state === 'exhausted') {
      this.#site.observe({
        kind: 'delivery_given_up',
        delivery: name,
        webhook,
        reason: settlement.error ?? '',
      });
    }
  }

  // 410 Gone: the receiver says that nobody will ever listen there again.
  async #disable(webhook: string): Promise<void> {
    await this.#observed(`disabling webhook ${webhook}`, () =>
      unitOfWork(this.#site, ADMINISTRATOR, async (ctx) => {
        await updateDocument(ctx, 'Webhook', webhook, { enabled: 0 });
      }),
    );
  }

  #timestamp(later: number): string {
    return formatTimestamp(this.#site.clock.micros() + later * 1000, this.#site.config.timeZone);
  }
}

function leaseOf(timeouts: readonly number[]): number {
  return Math.max(SHORTEST_LEASE, LEASE_FACTOR * Math.max(...timeouts));
}

function notSent(kind: 'invalid_request', text: string): Outcome {
  const error = deliveryError(kind, text);
  return { error, status: 0, response: null, remoteIp: null, retryAfter: null, millis: 0 };
}
