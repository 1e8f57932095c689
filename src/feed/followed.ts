import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../db/database.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Context, Site } from '../document/contract.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { loadHorizon } from './changes.ts';
import { isAfter, type Position } from './position.ts';

type FeedSite = Pick<Site, 'clock' | 'database'>;

/** Following ends this much before its recorded end, so that no transaction or check spans the end. */
const MARGIN = 2 * LIMITS.transactionTimeout;
/** A follow is renewed when less than this is left. */
const PROLONG = LIMITS.changeAge * 0.75;
/** A PostgreSQL node that found no followers does not ask again for this long. */
const LEASE = 500;
/** How long older transactions may delay a listener's start. After that, the listener must retry. */
const PATIENCE = 5_000;

/**
 * The followed doctypes. Changes are recorded from the first follower until an hour after the last, so a site
 * without followers writes nothing. On SQLite, this process is the only writer: a map is enough, and the
 * table serves the next start. On PostgreSQL, another node may have a follower, so each transaction reads the
 * table, unless there were no followers half a second ago.
 */
export class Followed {
  readonly #site: FeedSite;
  readonly #until = new Map<string, number>();
  /** When no followers were found, by `performance.now()`. */
  #nobodyAt = Number.NEGATIVE_INFINITY;

  constructor(site: FeedSite) {
    this.#site = site;
  }

  /** Takes over the follows recorded by the previous process. */
  async load(): Promise<void> {
    if (!this.#isAlone) return;
    const rows = await this.#site.database.reader.all(sql`select "doctype", "until" from "_change_follow"`);
    for (const row of rows) this.#until.set(String(row['doctype']), Number(row['until']));
  }

  /** The doctypes in `names` whose changes this transaction must record. */
  async among(ctx: Context, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (this.#isAlone) {
      if (this.#until.size === 0) return NONE;
      const now = nowMillis(this.#site.clock);
      return new Set([...names].filter((name) => (this.#until.get(name) ?? 0) > now));
    }
    const asked = performance.now();
    if (asked - this.#nobodyAt < LEASE) return NONE;
    const rows = await ctx.db.all(
      sql`select "doctype" from "_change_follow" where "until" > ${sharedMillis(ctx.db, ctx.site.clock)}`,
    );
    if (rows.length === 0) this.#nobodyAt = asked;
    return new Set(rows.map((row) => String(row['doctype'])).filter((name) => names.has(name)));
  }

  /**
   * Records changes of these doctypes for another hour. Once it resolves, every transaction that does not
   * record them has ended, so later reads see its changes.
   * @throws ServiceError ServiceUnavailableError when an older transaction takes too long
   */
  async follow(names: ReadonlySet<string>): Promise<void> {
    const { database } = this.#site;
    if (await this.#isLong(database.reader, names)) return;
    const before = new Map([...names].map((name) => [name, this.#until.get(name)]));
    // First, so that all later transactions of the writer record their changes.
    if (this.#isAlone) {
      const until = nowMillis(this.#site.clock) + LIMITS.changeAge;
      for (const name of names) this.#until.set(name, until);
    }
    try {
      await database.transaction((db) => this.#prolong(db, names));
    } catch (error) {
      for (const [name, until] of before) {
        if (until === undefined) this.#until.delete(name);
        else this.#until.set(name, until);
      }
      throw error;
    }
    if (!this.#isAlone) await this.#settle(names);
  }

  /** The position after which the feed has every change of these doctypes; null when it has none. */
  async since(names: ReadonlySet<string>): Promise<Position | null> {
    const { reader } = this.#site.database;
    const rows = await reader.all(
      sql`select "since_tx", "since_id" from "_change_follow" where "doctype" in (${list(names)})
          and "since_tx" is not null and "until" > ${sharedMillis(reader, this.#site.clock)}`,
    );
    if (rows.length < names.size) return null;
    const positions = rows.map((row) => ({ tx: Number(row['since_tx']), id: Number(row['since_id']) }));
    return positions.reduce((last, one) => (isAfter(one, last) ? one : last), { tx: 0, id: 0 });
  }

  /**
   * The current position, from which the feed has every change of these doctypes. Waits until it lies after
   * the last deleted change.
   * @throws ServiceError ServiceUnavailableError when an older transaction takes too long
   */
  async now(names: ReadonlySet<string>): Promise<Position> {
    return horizonFrom(this.#site.database.reader, (await this.since(names)) ?? { tx: 0, id: 0 });
  }

  get #isAlone(): boolean {
    return this.#site.database.dialect.name === 'sqlite';
  }

  async #isLong(db: Connection, names: ReadonlySet<string>): Promise<boolean> {
    const rows = await db.all(
      sql`select "doctype" from "_change_follow" where "doctype" in (${list(names)}) and "since_tx" is not null
          and "until" > ${sharedMillis(db, this.#site.clock)} + ${PROLONG}`,
    );
    return rows.length === names.size;
  }

  // A follow at or near its end begins anew, because a transaction may just have seen it as ended.
  async #prolong(db: Connection, names: ReadonlySet<string>): Promise<void> {
    const now = sharedMillis(db, this.#site.clock);
    const since = this.#isAlone
      ? sql`0, coalesce((select "seq" from "sqlite_sequence" where "name" = '_change'), 0)`
      : sql`null, null`;
    await db.run(
      sql`delete from "_change_follow" where "doctype" in (${list(names)}) and "until" <= ${now} + ${MARGIN}`,
    );
    for (const name of [...names].sort()) {
      await db.run(
        sql`insert into "_change_follow" ("doctype", "since_tx", "since_id", "until")
            values (${name}, ${since}, ${now} + ${LIMITS.changeAge})
            on conflict ("doctype") do update set "until" = excluded."until"`,
      );
    }
  }

  // Waits until no node relies on an earlier result without followers: every later transaction reads the
  // table and finds the row.
  async #settle(names: ReadonlySet<string>): Promise<void> {
    const { database } = this.#site;
    const fresh = await database.reader.all(
      sql`select "doctype" from "_change_follow" where "doctype" in (${list(names)}) and "since_tx" is null`,
    );
    if (fresh.length === 0) return;
    // Where another follow is settled, every node knows that there are followers.
    const settled = await database.reader.get(
      sql`select 1 as "one" from "_change_follow" where "since_tx" is not null
          and "until" > ${sharedMillis(database.reader, this.#site.clock)} + ${MARGIN}`,
    );
    if (!settled) await wait(LEASE);
    const row = await database.reader.get(
      sql`select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "tx"`,
    );
    const tx = Number(row?.['tx']);
    await horizonFrom(database.reader, { tx, id: 0 });
    await database.transaction((db) =>
      db.run(
        sql`update "_change_follow" set "since_tx" = ${tx}, "since_id" = 0
            where "doctype" in (${list(names)}) and "since_tx" is null`,
      ),
    );
  }
}

/**
 * The horizon, once it has reached a position: older transactions have ended.
 * @throws ServiceError ServiceUnavailableError when one takes too long
 */
async function horizonFrom(db: Connection, position: Position): Promise<Position> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    const { through } = await loadHorizon(db);
    if (!isAfter(position, through)) return through;
    if (performance.now() > deadline) {
      throw new ServiceError('ServiceUnavailableError', 'The change feed waits for a long transaction', {
        headers: { 'Retry-After': '5' },
      });
    }
    await wait(10);
  }
}

const NONE: ReadonlySet<string> = new Set();

function list(names: ReadonlySet<string>): Sql {
  return join([...names].map((name) => sql`${name}`));
}
