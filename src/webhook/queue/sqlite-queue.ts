import type { Connection } from '../../db/database.ts';
import type { SqlValue, Statement } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
import type { Delivery } from '../send/delivery.ts';
import { attemptValues, errorText, isAttempt, toDelivery } from './columns.ts';
import { deliveryMillis } from './outbox.ts';
import {
  type DeliveryQueue,
  LOOP,
  LOOP_DEATHS,
  NotOwner,
  type Quota,
  type Senders,
  type Settlement,
  type Tended,
  type Waiting,
} from './queue.ts';
import { firstAttemptsFirst } from './quotas.ts';
import { SQLITE } from './sqlite-statements.ts';
import { CALM, deathsAfter, Suspects } from './suspects.ts';
import type { DueDelivery } from './wake.ts';

/** If the clock falls behind by more than this, it was set back; milliseconds. */
const SET_BACK = 500;

/**
 * The queue of the single process that owns an SQLite file. Deliveries in flight are known in memory only:
 * after a crash all unsettled ones are due again. Results share the commits of documents.
 */
export class SqliteQueue implements DeliveryQueue {
  readonly #site: Site;
  readonly #node: string;
  /** Ids taken but not settled, by webhook. */
  readonly #held = new Map<string, Set<number>>();
  /**
   * Deliveries up to this id existed when the process started after several deaths; 0 in normal operation.
   */
  #cautiousUpTo = 0;
  readonly #suspects = new Suspects();
  /** The largest lead of the wall clock over the monotonic clock since `tend`; milliseconds. */
  #ahead = Number.NEGATIVE_INFINITY;

  constructor(site: Site, node: string) {
    this.#site = site;
    this.#node = node;
  }

  async join(): Promise<void> {
    await this.#site.database.transaction(async (connection) => {
      const now = this.#now();
      await this.#bringForward(connection, now, (await lastSeen(connection)) - now);
      await connection.run(statement(SQLITE.forgetNodes, [this.#node]));
      const died = await connection.get(statement(SQLITE.countDeaths, [now - LOOP]));
      await connection.run(statement(SQLITE.forgetStarts, [now - LOOP]));
      await connection.run(statement(SQLITE.start, [this.#node, now]));
      await connection.run(statement(SQLITE.promoteStranded, [now]));
      this.#cautiousUpTo = 0;
      const deaths = Number(died?.['count']);
      if (deaths > 0) {
        await connection.run(statement(SQLITE.calm, [now, JSON.stringify(CALM)]));
      }
      if (deaths < LOOP_DEATHS) return;
      this.#cautiousUpTo = Number((await connection.get(statement(SQLITE.lastId, [])))?.['id'] ?? 0);
    });
  }

  get processes(): number {
    return 1;
  }

  isHere(): boolean {
    return true;
  }

  sendersOf(due: readonly DueDelivery[]): Senders {
    return { here: [...new Set(due.map(({ webhook }) => webhook))], elsewhere: [] };
  }

  note(): void {}

  async waiting(): Promise<Waiting[]> {
    const rows = await this.#site.database.reader.all(statement(SQLITE.waiting, []));
    const now = this.#now();
    return rows.map((row) => ({ webhook: String(row['webhook']), dueIn: Number(row['due_at']) - now }));
  }

  take(quotas: readonly Quota[]): Promise<Delivery[]> {
    return firstAttemptsFirst(quotas, (some, isFirst) =>
      this.#takeOf(isFirst ? SQLITE.readyFirst : SQLITE.ready, some),
    );
  }

  async #takeOf(text: string, quotas: readonly Quota[]): Promise<Delivery[]> {
    const taken: Delivery[] = [];
    for (const [limit, alike] of Map.groupBy(quotas, (quota) => quota.limit)) {
      const webhooks = alike.map(({ webhook }) => webhook);
      const held = webhooks.flatMap((webhook) => [...(this.#held.get(webhook) ?? [])]);
      const values = [JSON.stringify(webhooks), this.#now(), JSON.stringify(held), limit];
      const rows = await this.#site.database.reader.all(statement(text, values));
      taken.push(...rows.map(toDelivery).filter((delivery) => this.#holds(delivery)));
    }
    return taken;
  }

  /** False when a concurrent caller took it first. */
  #holds({ id, webhook }: Delivery): boolean {
    const held = this.#held.get(webhook) ?? new Set();
    if (held.has(id)) return false;
    this.#held.set(webhook, held.add(id));
    return true;
  }

  isCautious({ id, suspect }: Delivery): boolean {
    return suspect > 0 || id <= this.#cautiousUpTo;
  }

  isFenced(): boolean {
    return false;
  }

  admits(delivery: Delivery): boolean {
    return this.#suspects.admits(delivery);
  }

  async mark(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    const chosen = deliveries.filter((delivery) => this.admits(delivery));
    if (chosen.length > 0) await this.#writeDeaths(chosen, deathsAfter);
    return chosen;
  }

  #writeDeaths(deliveries: readonly Delivery[], deathsOf: (delivery: Delivery) => number): Promise<void> {
    return this.#site.database.transaction(async (connection) => {
      for (const each of deliveries) await connection.run(statement(SQLITE.mark, [deathsOf(each), each.id]));
    });
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly string[]> {
    const promoted = await this.#site.database.transaction(async (connection) => {
      const now = this.#now();
      await this.#requireOwnership(connection);
      const recorded = await record(connection, settlements, now);
      for (const each of recorded) {
        if (isAttempt(each)) await connection.run(attemptStatement(each));
      }
      const due = await promote(connection, recorded, now);
      if (due.length > 0 || recorded.some(({ delay }) => delay > 0)) await this.#wasSeen(connection, now);
      return due;
    });
    for (const { delivery } of settlements) this.#letGo(delivery);
    return promoted;
  }

  async resume(): Promise<void> {
    await this.#site.database.transaction((connection) =>
      connection.run(statement(SQLITE.resume, [this.#now()])),
    );
  }

  async release(deliveries: readonly Delivery[]): Promise<void> {
    const ids = new Set(deliveries.map(({ id }) => id));
    await this.#unmark(this.#suspects.underWay.filter(({ id }) => ids.has(id)));
    for (const delivery of deliveries) this.#letGo(delivery);
  }

  // Nothing can be stranded with a single writer.
  async tend(): Promise<Tended> {
    const now = nowMillis(this.#site.clock);
    const ahead = now - performance.now();
    const back = Math.round(this.#ahead - ahead);
    if (back > SET_BACK) {
      await this.#site.database.transaction((connection) => this.#bringForward(connection, now, back));
    }
    this.#ahead = ahead;
    return { areSomeWaiting: true, healthAt: null };
  }

  /** When the clock is set back, adjusts due times so that nothing waits longer. */
  async #bringForward(connection: Connection, now: number, back: number): Promise<void> {
    if (back > SET_BACK) await connection.run(statement(SQLITE.bringForward, [now, back, now]));
  }

  /**
   * Stores the time when deliveries get a due time: if the clock is set back while no process runs, the next
   * one detects it by this.
   */
  #wasSeen(connection: Connection, now: number): Promise<unknown> {
    return connection.run(statement(SQLITE.seen, [this.#node, now]));
  }

  /** There is no other process that could go on. */
  async retire(): Promise<void> {}

  async leave(): Promise<void> {
    await this.#unmark(this.#suspects.underWay);
    this.#held.clear();
    await this.#site.database.transaction((connection) =>
      connection.run(statement(SQLITE.stop, [this.#now(), this.#node])),
    );
  }

  async #unmark(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length > 0) await this.#writeDeaths(deliveries, ({ suspect }) => suspect);
    for (const delivery of deliveries) this.#suspects.ended(delivery);
  }

  #letGo(delivery: Delivery): void {
    const { id, webhook } = delivery;
    const held = this.#held.get(webhook);
    held?.delete(id);
    if (held?.size === 0) this.#held.delete(webhook);
    this.#suspects.ended(delivery);
  }

  // The file is locked against a second process. If one gets in nevertheless, the last to start owns the
  // queue.
  async #requireOwnership(connection: Connection): Promise<void> {
    const owner = await connection.get(statement(SQLITE.owner, []));
    if (owner?.['node'] !== this.#node) throw new NotOwner('another process delivers from this database now');
  }

  #now(): number {
    const now = nowMillis(this.#site.clock);
    this.#ahead = Math.max(this.#ahead, now - performance.now());
    return now;
  }
}

function statement(text: string, values: readonly SqlValue[]): Statement {
  return { text, values };
}

/** The latest time recorded by earlier processes; 0 without any. */
async function lastSeen(connection: Connection): Promise<number> {
  const last = await connection.get(statement(SQLITE.lastSeen, []));
  if (!last) return 0;
  const times = [last['started_at'], last['stopped_at'], last['seen_at']].map(Number);
  return Math.max(...times, deliveryMillis(String(last['newest'])));
}

/** Resolves to the settlements that were still open. */
async function record(
  connection: Connection,
  settlements: readonly Settlement[],
  now: number,
): Promise<readonly Settlement[]> {
  const ids = new Set<number>();
  for (const [status, alike] of byStatus(settlements)) {
    const list = JSON.stringify(alike.map(({ delivery }) => delivery.id));
    const { endedAt } = alike[0] as Settlement;
    const rows = await connection.all(statement(SQLITE.delivered, [status, endedAt, now, list]));
    for (const row of rows) ids.add(Number(row['id']));
  }
  for (const settlement of settlements) {
    if (settlement.state === 'delivered') continue;
    if ((await connection.run(other(settlement, now))) > 0) ids.add(settlement.delivery.id);
  }
  return settlements.filter(({ delivery }) => ids.has(delivery.id));
}

function byStatus(settlements: readonly Settlement[]): Map<number, Settlement[]> {
  const groups = new Map<number, Settlement[]>();
  for (const settlement of settlements) {
    if (settlement.state !== 'delivered') continue;
    const group = groups.get(settlement.outcome.status);
    if (group) group.push(settlement);
    else groups.set(settlement.outcome.status, [settlement]);
  }
  return groups;
}

function other(settlement: Settlement, now: number): Statement {
  const { delivery, state, delay, nextRetry, endedAt, outcome } = settlement;
  if (state === 'refunded') return statement(SQLITE.refunded, [now + delay, nextRetry, delivery.id]);
  if (state === 'held') return statement(SQLITE.held, [errorText(settlement), endedAt, delivery.id]);
  const values = [outcome.status, errorText(settlement), endedAt];
  if (state === 'exhausted') return statement(SQLITE.exhausted, [...values, now, delivery.id]);
  return statement(SQLITE.retry, [...values, now + delay, nextRetry, delivery.id]);
}

function attemptStatement(settlement: Settlement): Statement {
  return statement(SQLITE.attempt, attemptValues(settlement, null));
}

async function promote(
  connection: Connection,
  recorded: readonly Settlement[],
  now: number,
): Promise<string[]> {
  const through = recorded.filter(({ state }) => state === 'delivered' || state === 'exhausted');
  if (through.length === 0 || !(await connection.get(statement(SQLITE.anyParked, [])))) return [];
  const promoted = new Set<string>();
  for (const { delivery } of through) {
    const { webhook, orderKey } = delivery;
    if ((await connection.run(statement(SQLITE.promote, [now, webhook, orderKey]))) > 0)
      promoted.add(webhook);
  }
  return [...promoted];
}
