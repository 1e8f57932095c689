import type { Client, QueryResult } from 'pg';
import { LIMITS } from '../../kernel/limits.ts';
import type { Connection, Row } from '../database.ts';
import { isConnectionLoss } from '../driver-errors.ts';
import { type Position, positionOf } from '../position.ts';
import type { Statement } from '../sql.ts';
import { clusterId } from './cluster-id.ts';
import type { PostgresReader, ReaderLine } from './reader.ts';
import type { Silence } from './silence.ts';

/** The pause after a failure before the replica is asked again, and between two questions; milliseconds. */
const REST = 1_000;
const BETWEEN = 20;

/**
 * How far the server has replayed the log, and the timeline that it follows, in this order: what is replayed later
 * may be of another one. Users without `pg_read_all_stats` are not told the timeline.
 */
const ASK: Statement = {
  text: `select pg_backend_pid() as "pid",
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as "lsn",
    (select coalesce(received_tli::text, 'hidden') from pg_stat_wal_receiver) as "timeline"`,
  values: [],
};

/** Why a replica does not answer reads. */
class Unfit extends Error {}

/** The replica has not replayed what is needed. */
class Behind extends Error {}

/** The replica has not begun to answer in time. */
class Late extends Error {}

/** A standby, and what is known about it. All that it answers is of one connection at one moment. */
export class Replica {
  /** `host:port` */
  readonly host: string;
  readonly #reader: PostgresReader;
  readonly #silence: Silence;
  readonly #onProblem: (problem: string) => void;
  /** Some connection has replayed so much: a hint, because another connection may lead to another server. */
  #known: Position | null = null;
  #problem: string | null = null;
  #isAsking = false;
  /** Nothing is asked before this time of `performance.now()`. */
  #notBefore = 0;

  /** `onProblem`: told why the replica cannot be used, when that begins. */
  constructor(host: string, reader: PostgresReader, silence: Silence, onProblem: (problem: string) => void) {
    this.host = host;
    this.#reader = reader;
    this.#silence = silence;
    this.#onProblem = onProblem;
  }

  get known(): Position | null {
    return this.#known;
  }

  /** Why it cannot be used; null while it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Asks where it is, unless that is being done or has failed just now. */
  refresh(): void {
    if (this.#isAsking || performance.now() < this.#notBefore) return;
    this.#isAsking = true;
    void this.ask().finally(() => {
      this.#isAsking = false;
    });
  }

  /** Asks where it is; null when it is nowhere. Never rejects. */
  async ask(): Promise<Position | null> {
    this.#notBefore = performance.now() + BETWEEN;
    try {
      return await this.#inTime((isInTime) => this.#reader.first((line) => this.#look(line, isInTime)));
    } catch (error) {
      this.#leave(error);
      return null;
    }
  }

  /**
   * Reads on a connection whose server has replayed the log up to a position that `fits`. The question goes out ahead
   * of the statement and with it: it takes no other round trip, and no server can be mistaken for another.
   * @throws the driver's error, or another one when the server is not that far, or does not answer in time
   */
  async read(
    fits: (at: Position) => boolean,
    statement: Statement,
    most?: number,
  ): Promise<QueryResult<Row>> {
    try {
      return await this.#inTime((isInTime) =>
        this.#reader.once(statement, most, async (line) => {
          if (!fits(await this.#look(line, isInTime))) throw new Behind('not replayed yet');
        }),
      );
    } catch (error) {
      // A late answer may be that of a long queue, so another question decides.
      if (error instanceof Late) this.#known = null;
      else if (error instanceof Unfit || isConnectionLoss(error)) this.#leave(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#reader.close();
    this.#silence.close();
  }

  async #look({ client, statements }: ReaderLine, isInTime: () => void): Promise<Position> {
    const { rows } = await statements.query(client, ASK);
    isInTime();
    const position = positionIn(rows[0] ?? {}, client);
    this.#known = position;
    this.#problem = null;
    return position;
  }

  /** Rejects when `isInTime` is not called within `LIMITS.replicaPatience`, whatever becomes of the work. */
  #inTime<T>(work: (isInTime: () => void) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Late(`no answer within ${LIMITS.replicaPatience} ms`)),
        LIMITS.replicaPatience,
      );
      work(() => clearTimeout(late))
        .then(resolve, reject)
        .finally(() => clearTimeout(late));
    });
  }

  #leave(error: unknown): void {
    this.#known = null;
    this.#notBefore = performance.now() + REST;
    const problem = wordsOf(error);
    if (this.#problem === null) this.#onProblem(problem);
    this.#problem = problem;
  }
}

/**
 * Rejects when the client is connected to another cluster than the primary is of: its positions are those of other
 * changes. A server that hides which one it is counts as the right one.
 */
export async function requireSameCluster(client: Client, primary: Connection): Promise<void> {
  const [is, needed] = await Promise.all([
    clusterId(async ({ text }) => (await client.query<Row>(text)).rows[0]),
    clusterId((question) => primary.get(question)).catch((error: unknown) => {
      throw new Unfit(`its primary does not tell its cluster: ${wordsOf(error)}`);
    }),
  ]);
  if (is !== null && needed !== null && is !== needed)
    throw new Unfit('it belongs to another PostgreSQL cluster than the primary');
}

/** @throws Unfit */
function positionIn({ pid, lsn, timeline }: Row, client: Client): Position {
  const { processID } = client as unknown as { readonly processID: number | null };
  if (pid !== processID) throw new Unfit('a connection pooler stands before it');
  if (typeof lsn !== 'string') throw new Unfit('it is no standby');
  if (typeof timeline !== 'string') throw new Unfit('it receives nothing from a primary');
  if (timeline === 'hidden') {
    throw new Unfit('the user may not see its timeline: grant pg_read_all_stats to the user');
  }
  return positionOf(Number(timeline), lsn);
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
