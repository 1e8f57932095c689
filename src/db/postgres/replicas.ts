import { TooLarge } from '../../kernel/too-large.ts';
import type { Connection, ReplicaFigures, Replicas, Row } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import { isCancelled, queryTimeout } from '../driver-errors.ts';
import { covers, type Position } from '../position.ts';
import { Sql, type Statement } from '../sql.ts';
import { renderPostgres } from './dialect.ts';
import type { Positions } from './positions.ts';
import type { Replica } from './replica.ts';

/** While replicas are asked for, the primary is asked where it is once in this time; milliseconds. */
const MARK = 1_000;

/**
 * Chooses a replica for each reader that needs one. It waits for nothing: what it does not know yet, it asks in
 * the background for those that come later.
 */
export class PostgresReplicas implements Replicas {
  readonly #replicas: readonly Replica[];
  readonly #positions: Positions;
  readonly #primary: Connection;
  readonly #timeout: number;
  #turn = 0;
  /** Behind the changes that each object was loaded from; null while the primary is asked. */
  readonly #loaded = new WeakMap<object, Position | null>();
  readonly reads = { replica: 0, primary: 0 };

  /** `timeout`: milliseconds of the longest read. */
  constructor(replicas: readonly Replica[], positions: Positions, primary: Connection, timeout: number) {
    this.#replicas = replicas;
    this.#positions = positions;
    this.#primary = primary;
    this.#timeout = timeout;
    this.#lookAround();
  }

  get asked(): number {
    return this.#positions.asked;
  }

  async positionAfter(asked: number): Promise<Position | null> {
    return this.#positions.latestAfter(asked) ?? (await this.#askPrimary());
  }

  at(needed: Position, loaded: readonly object[] = []): Connection | null {
    const least = [needed, ...loaded.map((one) => this.#placeOf(one, needed.timeline))];
    const fits = (at: Position) =>
      least.every((place) => place !== null && covers(at, place)) && this.#positions.isFresh(at);
    for (let tried = 1; tried <= this.#replicas.length; tried += 1) {
      const place = (this.#turn + tried) % this.#replicas.length;
      const replica = this.#replicas[place] as Replica;
      const { known } = replica;
      if (known === null || !fits(known)) continue;
      this.#turn = place;
      if (this.#positions.isDue(MARK)) this.#lookAround();
      return new ReplicaReads(replica, fits, this.#primary, this.#timeout, this.reads);
    }
    this.reads.primary += 1;
    this.#lookAround();
    return null;
  }

  async figures(): Promise<readonly ReplicaFigures[]> {
    const primary = await this.#askPrimary();
    const places = await Promise.all(this.#replicas.map((replica) => replica.ask()));
    return this.#replicas.map(({ host, problem }, place) => {
      const at = places[place] ?? null;
      if (at === null || primary === null) return { host, problem, behind: null };
      if (at.timeline === primary.timeline) {
        return { host, problem, behind: Math.max(0, Number(primary.lsn - at.lsn)) };
      }
      const foreign = `it follows timeline ${at.timeline}, and the primary is on timeline ${primary.timeline}`;
      return { host, problem: foreign, behind: null };
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  #placeOf(object: object, timeline: number): Position | null {
    const known = this.#loaded.get(object);
    if (known === null || (known && known.timeline >= timeline)) return known;
    this.#loaded.set(object, null);
    void this.positionAfter(this.asked).then((position) => {
      if (position) this.#loaded.set(object, position);
      else this.#loaded.delete(object);
    });
    return null;
  }

  #askPrimary(): Promise<Position | null> {
    return this.#positions.ask((question) => this.#primary.get(question));
  }

  #lookAround(): void {
    if (this.#positions.isDue(MARK)) void this.#askPrimary();
    for (const replica of this.#replicas) replica.refresh();
  }
}

/**
 * The reads of one request. They go to a replica until one fails; that one and the others go to the primary, at
 * once.
 */
class ReplicaReads implements Connection {
  readonly dialect: Dialect;
  #replica: Replica | null;
  readonly #fits: (at: Position) => boolean;
  readonly #primary: Connection;
  readonly #timeout: number;
  readonly #counts: { replica: number; primary: number };

  constructor(
    replica: Replica,
    fits: (at: Position) => boolean,
    primary: Connection,
    timeout: number,
    counts: { replica: number; primary: number },
  ) {
    this.dialect = primary.dialect;
    this.#replica = replica;
    this.#fits = fits;
    this.#primary = primary;
    this.#timeout = timeout;
    this.#counts = counts;
  }

  async all(query: Sql | Statement, most?: number): Promise<Row[]> {
    return (await this.#read(query, most)) ?? this.#primary.all(query, most);
  }

  async get(query: Sql | Statement): Promise<Row | undefined> {
    const rows = await this.#read(query);
    return rows ? rows[0] : this.#primary.get(query);
  }

  run(): Promise<number> {
    throw new Error('a replica changes nothing');
  }

  /** Null when the primary has to answer. */
  async #read(query: Sql | Statement, most?: number): Promise<Row[] | null> {
    const statement = query instanceof Sql ? renderPostgres(query) : query;
    const began = performance.now();
    try {
      if (this.#replica === null) return null;
      const { rows } = await this.#replica.read(this.#fits, statement, most);
      this.#counts.replica += 1;
      return rows;
    } catch (error) {
      if (error instanceof TooLarge) throw error;
      // It had all the time of a read. A standby also cancels statements for reasons of its own, much earlier.
      if (isCancelled(error) && performance.now() - began >= this.#timeout) throw queryTimeout();
      this.#replica = null;
      this.#counts.primary += 1;
      return null;
    }
  }
}
