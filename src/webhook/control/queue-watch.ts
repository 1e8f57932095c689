import { sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { Remembered } from '../../kernel/remembered.ts';
import { DELIVERY_STATE, OPEN_DELIVERIES, STATE } from '../queue/delivery-state.ts';
import { restingWebhooks } from './rests.ts';

/** The figures of the delivery queue. */
export interface QueueFigures {
  /**
   * Deliveries not settled: `waiting` until they are due, `sending`, `held` by a disabled webhook or
   * set aside by a restore, `parked` behind another delivery.
   */
  readonly deliveries: Readonly<Record<'waiting' | 'sending' | 'held' | 'parked', number>>;
  /** The age in seconds of the oldest one that is not held; 0 without any. */
  readonly oldest: number;
}

type WatchedSite = Pick<Site, 'database' | 'clock' | 'observe'>;

const STATES = {
  [DELIVERY_STATE.waiting]: 'waiting',
  [DELIVERY_STATE.leased]: 'sending',
  [DELIVERY_STATE.held]: 'held',
  [DELIVERY_STATE.parked]: 'parked',
} as const;

/** Caches the figures of the queue for frequent callers: counting a long queue is slow. */
export class QueueWatch {
  readonly #site: WatchedSite;
  readonly #figures: Remembered<QueueFigures>;
  readonly #stuck: Remembered<boolean>;

  constructor(site: WatchedSite) {
    this.#site = site;
    this.#figures = new Remembered(() => this.#count());
    this.#stuck = new Remembered(() => this.#look());
  }

  figures(): Promise<QueueFigures> {
    return this.#figures.get();
  }

  /**
   * True when a delivery to a reachable receiver is long overdue and nothing is in flight: no worker runs, or
   * it is stuck. A receiver with a backlog does not count.
   */
  isStuck(): Promise<boolean> {
    return this.#stuck.get();
  }

  /** The cached answer of `isStuck`; never waits. */
  wasStuck(): boolean {
    this.#stuck.get().catch((error: unknown) => {
      this.#site.observe({ kind: 'unexpected', where: 'checking the webhook queue', error });
    });
    return this.#stuck.last ?? false;
  }

  async #count(): Promise<QueueFigures> {
    const rows = await this.#site.database.reader.all(
      sql`select "state", count(*) as "count", min("name") as "first" from ${OPEN_DELIVERIES} as "d" group by "state"`,
    );
    const deliveries = { waiting: 0, sending: 0, held: 0, parked: 0 };
    let first: string | null = null;
    for (const row of rows) {
      const state = STATES[Number(row['state']) as keyof typeof STATES];
      deliveries[state] = Number(row['count']);
      const name = String(row['first']);
      if (state !== 'held' && (first === null || name < first)) first = name;
    }
    return { deliveries, oldest: first === null ? 0 : this.#ageOf(first) };
  }

  // Names begin with the creation time.
  #ageOf(name: string): number {
    const made = Number.parseInt(name.slice(4, 15), 32);
    return Number.isNaN(made) ? 0 : Math.max(0, (this.#site.clock.micros() - made) / 1_000_000);
  }

  async #look(): Promise<boolean> {
    const now = nowMillis(this.#site.clock);
    const late = now - LIMITS.deliveriesLate;
    const { reader } = this.#site.database;
    const due = await reader.all(
      sql`select w."name" from "Webhook" w where w."enabled" = 1
            and exists (select 1 from "_webhook_delivery" d
              where d."state" = ${STATE.waiting} and d."webhook" = w."name" and d."due_at" < ${late})
            and not exists (select 1 from "_webhook_delivery" d
              where d."state" = ${STATE.waiting} and d."webhook" = w."name" and d."due_at" >= ${late} and d."attempt" > 0)`,
    );
    if (due.length === 0) return false;
    const rests = await restingWebhooks(this.#site, now);
    if (due.every(({ name }) => rests.has(String(name)))) return false;
    const alive = await reader.get(
      sql`select 1 as "one" from "_webhook_delivery" d
          where d."state" ${STATE.done} and d."done_at" >= ${late} and d."attempt" > 0 limit 1`,
    );
    return !alive;
  }
}
