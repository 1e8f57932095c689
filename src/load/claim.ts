import type { Connection } from '../db/database.ts';
import { ident, sql } from '../db/sql.ts';
import type { Site } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { DATA_LOAD, type LoadProgress, type LoadStatus, writeLoad } from './data-load.ts';

/** Milliseconds between two signs of life: well below the silence after which another server takes a load over. */
const SIGN = 5_000;

/** Another run has taken the load over, or somebody has changed its course. The run that had it ends. */
export class ClaimLost extends Error {}

/**
 * The right of one run to work on a load. It lasts as long as the load has this status and names this run. Another run
 * that takes the load ends it, and so does a change of the status.
 */
export class Claim {
  /** Names the run. */
  readonly runner: string;
  readonly #site: Site;
  readonly #load: string;
  readonly #status: LoadStatus;
  readonly #isTaken: boolean;

  /** `runner`: names the run, if it has taken the load already. */
  constructor(site: Site, load: string, status: LoadStatus, runner?: string) {
    this.#site = site;
    this.#load = load;
    this.#status = status;
    this.runner = runner ?? site.random.hash(10);
    this.#isTaken = runner !== undefined;
  }

  /**
   * Takes the load over, with further columns, if it has one of these statuses; resolves to false otherwise. A run that
   * has it already only holds it, and does not take it back.
   * @throws ClaimLost
   */
  async take(db: Connection, from: readonly LoadStatus[], columns: LoadProgress = {}): Promise<boolean> {
    if (this.#isTaken) await this.hold(db);
    const own = { status: this.#status, runner: this.runner };
    return writeLoad(this.#site, db, this.#load, { ...columns, ...own }, from);
  }

  /** Takes a load over that still has the status of the claim, in a transaction of its own. @throws ClaimLost */
  takeNow(): Promise<boolean> {
    return this.#site.database.transaction((db) => this.take(db, [this.#status]));
  }

  /**
   * Comes first in each transaction of the run. Until its end, nobody changes the status or the run of the load; the
   * run itself may write its progress (`writeLoad`).
   * @throws ClaimLost
   */
  async hold(db: Connection): Promise<void> {
    const row = await db.get(
      sql`select 1 as "one" from ${ident(DATA_LOAD)} where "name" = ${this.#load} and "status" = ${this.#status}
          and "runner" = ${this.runner}${lockClause(db.dialect, 'stay')}`,
    );
    if (!row)
      throw new ClaimLost(`Data Load ${this.#load} is not ${this.#status} any more, or not by this run`);
  }

  /** Runs `work` in a transaction that holds the claim. @throws ClaimLost */
  transaction<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.#site.database.transaction(async (db) => {
      await this.hold(db);
      return work(db);
    });
  }

  /** Writes columns of the load. Resolves to false when the claim is lost. */
  write(columns: LoadProgress): Promise<boolean> {
    return this.#site.database.transaction((db) =>
      writeLoad(this.#site, db, this.#load, columns, [this.#status], this.runner),
    );
  }

  /** Lets another run go on. */
  async leave(columns: LoadProgress = {}): Promise<void> {
    await this.write({ ...columns, runner: '' });
  }

  /**
   * Does the work of the run. It ends quietly when the claim is lost; after any other error, the load is `Failed`.
   * Meanwhile the run shows that it lives, also while a batch or the checks at its end take long, so that no other
   * server takes the load over.
   * @throws the error
   */
  async during(work: () => Promise<void>): Promise<void> {
    const endSigns = this.#giveSigns();
    try {
      await work();
    } catch (error) {
      if (error instanceof ClaimLost) return;
      const reason = error instanceof Error ? error.message : String(error);
      await this.leave({ status: 'Failed', error: reason }).catch((second) => this.#observe(second));
      throw error;
    } finally {
      await endSigns();
    }
  }

  #giveSigns(): () => Promise<void> {
    let last: Promise<unknown> | null = null;
    const timer = setInterval(() => {
      last ??= this.write({})
        .catch((error: unknown) => this.#observe(error))
        .finally(() => {
          last = null;
        });
    }, SIGN);
    return async () => {
      clearInterval(timer);
      await last;
    };
  }

  #observe(error: unknown): void {
    this.#site.observe({ kind: 'unexpected', where: 'load', error });
  }
}
