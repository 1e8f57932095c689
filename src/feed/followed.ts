import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../db/database.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Context, Site } from '../document/context.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { readHorizon } from './changes.ts';
import { isAfter, type Position } from './position.ts';

type FeedSite = Pick<Site, 'clock' | 'database'>;

/** Following ends this long before it is said to, so that no transaction and no question about it straddles the end. */
const MARGIN = 2 * LIMITS.transactionTimeout;
/** A follow is prolonged when less than this is left. */
const PROLONG = LIMITS.changeAge * 0.75;
/** A PostgreSQL node that found nobody following anything does not ask again for this long. */
const LEASE = 500;
/** How long older transactions are waited for before the first follower of a doctype is told to come again. */
const PATIENCE = 5_000;

/**
 * Which doctypes anybody follows. Only their changes are recorded, from the first follower until an hour after the last,
 * so that a site without followers writes nothing. SQLite: this process alone writes, so a map knows, and the table is
 * there for the next start. PostgreSQL: each transaction asks the table, as another node may have a follower, unless nobody
 * followed anything half a second ago.
 */
export class Followed {
  readonly #site: FeedSite;
  readonly #until = new Map<string, number>();
  /** When nobody was found to follow anything, on the clock of `performance.now()`. */
  #nobodyAt = Number.NEGATIVE_INFINITY;

  constructor(site: FeedSite) {
    this.#site = site;
  }

  /** Takes over what the process before this one recorded. */
  async load(): Promise<void> {
    if (!this.#isAlone) return;
    const rows = await this.#site.database.reader.all(sql`select "doctype", "until" from "_change_follow"`);
    for (const row of rows) this.#until.set(String(row['doctype']), Number(row['until']));
  }

  /** Those of `names` whose changes this transaction must record. */
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
   * Has changes of these doctypes recorded for another hour. Once it resolves, every transaction that does not record
   * them is over: whoever reads documents from here on sees what such a transaction did.
   * @throws ServiceError ServiceUnavailableError when an older transaction takes too long
   */
  async follow(names: ReadonlySet<string>): Promise<void> {
    const { database } = this.#site;
    if (await this.#isLong(database.reader, names)) return;
    const before = new Map([...names].map((name) => [name, this.#until.get(name)]));
    // First, so that whatever the writer does after us is recorded.
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

  /** The position after which the feed has every change of these doctypes; null when it has not. */
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

  // A follow that has ended, or nearly, begins anew: a transaction may just have found it at its end.
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

  // Once no node relies on having found nobody: a transaction with a later number than any now asks, and finds the row.
  async #settle(names: ReadonlySet<string>): Promise<void> {
    const { database } = this.#site;
    const fresh = await database.reader.all(
      sql`select "doctype" from "_change_follow" where "doctype" in (${list(names)}) and "since_tx" is null`,
    );
    if (fresh.length === 0) return;
    // Where another follow is settled, no node believes that there is none.
    const settled = await database.reader.get(
      sql`select 1 as "one" from "_change_follow" where "since_tx" is not null
          and "until" > ${sharedMillis(database.reader, this.#site.clock)} + ${MARGIN}`,
    );
    if (!settled) await wait(LEASE);
    const row = await database.reader.get(
      sql`select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "tx"`,
    );
    const tx = Number(row?.['tx']);
    const deadline = performance.now() + PATIENCE;
    while ((await readHorizon(database.reader)).through.tx < tx) {
      if (performance.now() > deadline) {
        throw new ServiceError('ServiceUnavailableError', 'The change feed waits for a long transaction', {
          headers: { 'Retry-After': '5' },
        });
      }
      await wait(10);
    }
    await database.transaction((db) =>
      db.run(
        sql`update "_change_follow" set "since_tx" = ${tx}, "since_id" = 0
            where "doctype" in (${list(names)}) and "since_tx" is null`,
      ),
    );
  }
}

const NONE: ReadonlySet<string> = new Set();

function list(names: ReadonlySet<string>): Sql {
  return join([...names].map((name) => sql`${name}`));
}
