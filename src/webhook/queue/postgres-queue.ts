import type { Connection, Row } from '../../db/database.ts';
import type { SqlValue, Statement } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import type { Pace } from '../flow/concurrency.ts';
import type { Delivery } from '../send/delivery.ts';
import { ATTEMPT_COLUMNS, attemptValues, errorText, toDelivery } from './columns.ts';
import { FastReceivers } from './fast-receivers.ts';
import { Homes, type Peer, type Share } from './homes.ts';
import { POSTGRES } from './postgres-statements.ts';
import { promoteFollowers } from './promote-followers.ts';
import {
  type DeliveryQueue,
  LOOP,
  LOOP_DEATHS,
  type Quota,
  type Senders,
  type Settlement,
  type Tended,
  type Waiting,
} from './queue.ts';
import { firstAttemptsFirst } from './quotas.ts';
import { CALM, deathsAfter, Suspects } from './suspects.ts';
import type { DueDelivery } from './wake.ts';

/**
 * A delivery is in memory for so long at most, in milliseconds: three times the longest attempt, and time to begin
 * it. Whatever is older has been forgotten by mistake.
 */
const LONGEST_HELD = 3 * 60_000 + 30_000;
/** A process without a heartbeat for this long gets no new work; milliseconds. */
const FRESH = 3_000;
/** A process that could not write its heartbeat for this long begins no attempts; milliseconds. */
const FENCED = 5_000;
/**
 * The duration of the leases of a process, which each heartbeat renews. After it other processes send its
 * deliveries: by then each attempt that it began has reached its receiver or never will. Milliseconds.
 */
const LEASE = 10_000;
/** If the database's clock falls behind by more than this, it was set back; milliseconds. */
const SET_BACK = 500;
/** Milliseconds between two searches for what errors have left; they take at most this share of the time. */
const SWEEP = 5_000;
const SWEEP_SHARE = 1 / 20;

/**
 * The queue of any number of processes over one PostgreSQL database. A lease names the process that holds a
 * delivery, and ends with the heartbeats of that process. Its number, the epoch, rejects late reports of an earlier
 * holder. What a process has leased without knowing, because the answer of the database got lost, it returns at its
 * next heartbeat.
 *
 * Each webhook has one live process as its home. That one sends to receivers that are unknown, slow or failing,
 * and keeps rate limits. To a fast receiver all processes send, each its share of the documents; the attempts to an
 * origin are divided among them. So limits per receiver hold. While homes and shares change, two processes may take
 * deliveries of a document for a moment, but never at the same time: leases keep the order.
 */
export class PostgresQueue implements DeliveryQueue {
  readonly #site: Site;
  readonly #node: string;
  readonly #homes: Homes;
  readonly #fast = new FastReceivers();
  readonly #suspects = new Suspects();
  /** By `performance.now()`. */
  #seenAt = Number.NEGATIVE_INFINITY;
  /**
   * Until then this process takes no lease away: the database was not reached for a while, so that other
   * processes could not renew theirs either, and results of this one wait to be recorded.
   */
  #lenientUntil = Number.NEGATIVE_INFINITY;
  #sweepAt = 0;
  /** The leases of this process by the id of their delivery; `since` is of `performance.now()`. */
  readonly #held = new Map<number, { readonly epoch: number; readonly since: number }>();
  readonly #taking = new Set<Promise<unknown>>();

  constructor(site: Site, node: string) {
    this.#site = site;
    this.#node = node;
    this.#homes = new Homes(node);
  }

  async join(): Promise<void> {
    await this.tend();
  }

  get processes(): number {
    return this.#homes.size;
  }

  isHere(webhook: string): boolean {
    return this.#homes.shareOf(webhook) !== null;
  }

  sendersOf(due: readonly DueDelivery[]): Senders {
    const here = new Set<string>();
    const elsewhere = new Set<string>();
    for (const { webhook, orderKey } of due) {
      const sender = this.#homes.senderOf(webhook, orderKey);
      if (sender === this.#node) here.add(webhook);
      else elsewhere.add(sender);
    }
    const isUnknown = elsewhere.size > 0 && this.#homes.hasOlderNode;
    return { here: [...here], elsewhere: isUnknown ? null : [...elsewhere] };
  }

  note(webhook: string, pace: Pace): void {
    if (this.#homes.size > 1 && this.#homes.isHome(webhook)) this.#fast.note(webhook, pace);
  }

  async waiting(): Promise<Waiting[]> {
    const rows = await this.#site.database.reader.all(statement(POSTGRES.waiting, []));
    // The next delivery of a spread webhook may be another process's, which sends it without help. Who has tried a
    // delivery knows when it is due again, and all look once a second.
    return rows
      .map((row) => ({ webhook: String(row['webhook']), dueIn: Number(row['due_in']) }))
      .filter(({ webhook, dueIn }) => this.isHere(webhook) && (dueIn <= 0 || !this.#homes.isSpread(webhook)));
  }

  async take(quotas: readonly Quota[]): Promise<Delivery[]> {
    const mine = quotas.flatMap((quota) => {
      const share = this.#homes.shareOf(quota.webhook, quota.undivided);
      return share ? [{ ...quota, ...share }] : [];
    });
    if (mine.length === 0 || this.isFenced()) return [];
    const taking = this.#lease(mine);
    this.#taking.add(taking);
    try {
      return await taking;
    } finally {
      this.#taking.delete(taking);
    }
  }

  async #lease(quotas: readonly (Quota & Share)[]): Promise<Delivery[]> {
    const since = performance.now();
    const taken = await firstAttemptsFirst(quotas, async (some, isFirst) => {
      const text = isFirst ? POSTGRES.takeFirst : POSTGRES.take;
      const rows = await this.#all(text, [JSON.stringify(some), this.#node]);
      return rows.sort(byDueTime).map(toDelivery);
    });
    // A process that was frozen meanwhile reads the answer late: others may have taken these over.
    if (performance.now() - since > FENCED) {
      await this.release(taken);
      return [];
    }
    for (const { id, epoch } of taken) this.#held.set(id, { epoch, since });
    return taken;
  }

  // A delivery leased by a dead process was not necessarily in flight. After several deaths all of them are
  // marked as suspect.
  isCautious({ suspect }: Delivery): boolean {
    return suspect !== 0;
  }

  isFenced(): boolean {
    return performance.now() - this.#seenAt > FENCED;
  }

  admits(delivery: Delivery): boolean {
    return this.#suspects.admits(delivery);
  }

  async mark(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    const chosen = deliveries.filter((delivery) => this.admits(delivery));
    if (chosen.length === 0) return chosen;
    const list = chosen.map((each) => ({ ...leaseOf(each), suspect: deathsAfter(each) }));
    const marked = await this.#all(POSTGRES.mark, [JSON.stringify(list)]);
    const ids = new Set(marked.map((row) => Number(row['id'])));
    return chosen.filter(({ id }) => ids.has(id));
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly string[]> {
    const list = JSON.stringify(settlements.map((each) => settlementRow(each, this.#node)));
    const through = await this.#site.database.transaction(async (connection) => {
      const rows = await connection.all(statement(POSTGRES.settle, [list]));
      const again = settlements.filter(({ state }) => state === 'retry' || state === 'refunded');
      await hold(
        connection,
        again.map(({ delivery }) => delivery),
      );
      return rows;
    });
    for (const { delivery } of settlements) this.#letGo(delivery);
    if (through.length === 0) return [];
    const due = await promoteFollowers(this.#site.database, through);
    return [...new Set(due.map(({ webhook }) => webhook))];
  }

  async resume(): Promise<void> {
    await this.#all(POSTGRES.resume, []);
  }

  async release(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    try {
      await this.#site.database.transaction(async (connection) => {
        await connection.run(releaseOf(deliveries));
        await hold(connection, deliveries);
      });
    } finally {
      // Those that could not be released are strays now.
      for (const delivery of deliveries) this.#letGo(delivery);
    }
  }

  #letGo(delivery: Delivery): void {
    if (this.#held.get(delivery.id)?.epoch === delivery.epoch) this.#held.delete(delivery.id);
    this.#suspects.ended(delivery);
  }

  /** Returns what this process has leased and does not hold. */
  async #returnStrays(): Promise<void> {
    const now = performance.now();
    const oldest = now < this.#lenientUntil ? Number.NEGATIVE_INFINITY : now - LONGEST_HELD;
    for (const [id, { since }] of this.#held) if (since < oldest) this.#held.delete(id);
    const asked = [this.#node, JSON.stringify([...this.#held.keys()])];
    const rows = await this.#site.database.reader.all(statement(POSTGRES.strays, asked));
    // Those that were being leased meanwhile are held afterwards.
    await Promise.allSettled(this.#taking);
    const strays = rows.filter((row) => !this.#held.has(Number(row['id'])));
    if (strays.length > 0) await this.#all(POSTGRES.release, [JSON.stringify(strays)]);
  }

  async tend(): Promise<Tended> {
    let pulse = await this.#pulse();
    // Waiting deliveries do not wait longer because of the clock, and a process that died shortly before does
    // not count as alive.
    if (pulse.isSetBack) {
      await this.#all(POSTGRES.bringForward, [SET_BACK]);
      pulse = await this.#pulse();
    }
    this.#homes.update(pulse.nodes);
    if (pulse.hasLeases) await this.#returnStrays();
    const now = performance.now();
    // The sweep forgets processes whose heartbeats are old, and these may be of the time before a gap.
    if (now >= this.#sweepAt && now >= this.#lenientUntil) {
      await this.#once(POSTGRES.sweep, [LOOP]);
      const after = performance.now();
      this.#sweepAt = after + Math.max(SWEEP, (after - now) / SWEEP_SHARE);
    }
    return pulse;
  }

  async #pulse(): Promise<Pulse> {
    const begun = performance.now();
    if (this.isFenced() && Number.isFinite(this.#seenAt)) this.#lenientUntil = begun + LEASE;
    const lease = begun < this.#lenientUntil ? Number.MAX_SAFE_INTEGER : LEASE;
    const fast = JSON.stringify(this.#fast.report((webhook) => this.#homes.isHome(webhook)));
    const values = [this.#node, FRESH, SET_BACK, lease, LOOP, LOOP_DEATHS, JSON.stringify(CALM), fast];
    const [row] = await this.#once(POSTGRES.pulse, values);
    const nodes = JSON.parse(String(row?.['nodes'] ?? '[]')) as (Peer & { ahead: number })[];
    const isSetBack = nodes.some(({ ahead }) => ahead > SET_BACK);
    // Otherwise the heartbeat was not written.
    if (!isSetBack) this.#seenAt = begun;
    return {
      nodes,
      isSetBack,
      hasLeases: row?.['leases'] === 1,
      areSomeWaiting: row?.['waiting'] === 1,
      healthAt: Number(row?.['health_at'] ?? 0),
    };
  }

  async retire(): Promise<void> {
    await this.#once(POSTGRES.retire, [this.#node, FRESH]);
  }

  async leave(): Promise<void> {
    const { underWay } = this.#suspects;
    await this.#site.database.transaction(async (connection) => {
      await connection.run(releaseOf(underWay));
      await connection.run(statement(POSTGRES.releaseAll, [this.#node]));
      await connection.run(statement(POSTGRES.leave, [this.#node]));
    });
  }

  #once(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#site.database.single(statement(text, values));
  }

  #all(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#site.database.transaction((connection) => connection.all(statement(text, values)));
  }
}

/** What a heartbeat has shown. */
interface Pulse extends Tended {
  /** The live processes. */
  readonly nodes: readonly Peer[];
  readonly isSetBack: boolean;
  /** This process has leased deliveries, as far as the database knows. */
  readonly hasLeases: boolean;
}

function releaseOf(deliveries: readonly Delivery[]): Statement {
  const list = deliveries.map((each) => ({ ...leaseOf(each), suspect: each.suspect }));
  return statement(POSTGRES.release, [JSON.stringify(list)]);
}

function leaseOf({ id, epoch }: Delivery): Pick<Delivery, 'id' | 'epoch'> {
  return { id, epoch };
}

async function hold(connection: Connection, deliveries: readonly Delivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const webhooks = [...new Set(deliveries.map(({ webhook }) => webhook))];
  await connection.run(statement(POSTGRES.hold, [JSON.stringify(webhooks)]));
}

function statement(text: string, values: readonly SqlValue[]): Statement {
  return { text, values };
}

function byDueTime(left: Row, right: Row): number {
  return Number(left['due_at']) - Number(right['due_at']) || Number(left['id']) - Number(right['id']);
}

function settlementRow(settlement: Settlement, node: string): Record<string, SqlValue> {
  const { delivery, state, delay, nextRetry, endedAt } = settlement;
  const attempt = attemptValues(settlement, node);
  return {
    ...Object.fromEntries(ATTEMPT_COLUMNS.map((name, index) => [name, attempt[index] ?? null])),
    id: delivery.id,
    epoch: delivery.epoch,
    outcome: state,
    delay,
    next_retry: nextRetry,
    modified: endedAt,
    error: errorText(settlement),
  };
}
