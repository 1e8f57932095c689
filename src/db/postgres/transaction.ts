import type { QueryResult } from 'pg';
import type { Connection, Counter, Row } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import { databaseError, isConnectionLoss, isSerializationFailure, isStalePlan } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { renderPostgres } from './dialect.ts';
import type { Follower, Lanes } from './lanes.ts';
import type { Ride } from './ride.ts';

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/**
 * The connection of a unit of work. Its first statement begins the transaction, or its part of one that it
 * shares; the object is unusable after the unit's end.
 */
export class PostgresTransaction implements Connection, Follower<Ride> {
  readonly dialect: Dialect;
  #ride: Ride;
  #ended = false;
  /** Waits for every statement. */
  readonly #isPatient: boolean;
  readonly #sent: Promise<void>[] = [];
  readonly #lanes: Lanes<Ride>;
  readonly #withNext: (() => void)[] = [];
  readonly #turns = new Map<string, Promise<(() => void) | null>>();
  /** The turns that have come. */
  readonly #held = new Set<string>();
  #begun: Promise<unknown> | null = null;
  /** When its work was asked for, by `performance.now()`. */
  readonly #arrived: number;
  /** Undoes what it did to the numbers of a shared transaction. */
  #recount = (): void => {};
  /** Counts one after another: a statement must know what the one before has taken. */
  #counting: Promise<unknown> = Promise.resolve();
  /** Resolves when the last statement that takes numbers is answered. */
  #taking: Promise<unknown> = Promise.resolve();
  /** The driver's error of the first failed statement. The unit can no longer commit. */
  failure: unknown = null;
  /** True when a statement failed that nobody waited for: the work went on in vain. */
  wentOnInVain = false;

  constructor(ride: Ride, dialect: Dialect, lanes: Lanes<Ride>, isPatient: boolean, arrived: number) {
    this.dialect = dialect;
    this.#ride = ride;
    ride.units.push(this);
    this.#lanes = lanes;
    this.#isPatient = isPatient;
    this.#arrived = arrived;
  }

  get ride(): Ride {
    return this.#ride;
  }

  async all(query: Sql | Statement, most?: number): Promise<Row[]> {
    return (await this.#query(query, most)).rows;
  }

  async get(query: Sql | Statement): Promise<Row | undefined> {
    return (await this.#query(query)).rows[0];
  }

  async run(query: Sql | Statement): Promise<number> {
    return (await this.#query(query)).rowCount ?? 0;
  }

  send(query: Sql | Statement): Promise<Row[]> | null {
    if (this.#isPatient) return null;
    const statement = query instanceof Sql ? renderPostgres(query) : query;
    // The commit would go without a statement that has a value which the driver cannot send.
    if (!statement.values.every((value) => value === null || PLAIN.has(typeof value))) return null;
    const rows = this.all(statement);
    this.#sent.push(
      rows.then(
        () => {},
        () => {
          this.wentOnInVain = true;
        },
      ),
    );
    return rows;
  }

  /** Resolves when all statements of `send` are answered. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent);
  }

  async takeTurn(name: string): Promise<void> {
    this.#refuseAfterEnd();
    let turn = this.#turns.get(name);
    if (!turn) {
      turn = this.#lanes.enter(name, this);
      this.#turns.set(name, turn);
    }
    if (await turn) this.#held.add(name);
  }

  count(counter: Counter): Promise<number> {
    const counting = this.#counting.then(() => this.#count(counter));
    this.#counting = counting.catch(() => {});
    return counting;
  }

  async #count(counter: Counter): Promise<number> {
    await this.takeTurn(counter.turn);
    for (;;) {
      // Work that nobody waits for can go on after the end of its unit: the numbers are for others then.
      this.#refuseAfterEnd();
      const given = this.#ride.numbers.give(counter.turn);
      if (given !== null) return given;
      const taking = this.#take(counter);
      this.#taking = taking.catch(() => {});
      await taking;
    }
  }

  /** Takes numbers for this unit and for those that wait behind it. */
  async #take(counter: Counter): Promise<void> {
    const { turn } = counter;
    const others = this.#passes(turn) ? Math.min(this.#lanes.ready(turn), this.#ride.room) : 0;
    const row = await this.get(counter.add(1 + others));
    const last = Number(row?.['current']);
    this.#ride.numbers.put(counter, last - others, last);
  }

  #refuseAfterEnd(): void {
    if (this.#ended) throw new Error('this transaction has ended');
  }

  async giveBack(turn: string): Promise<void> {
    this.#refuseAfterEnd();
    for (const statement of this.#ride.numbers.giveBack(turn)) await this.run(statement);
  }

  askTogether<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const { answers } = this.#ride;
    const known = answers.get(question);
    // Whoever asks a question of this name asks it for the same type.
    if (known && known.asked > this.#arrived) return known.answer as Promise<T>;
    const asked = performance.now();
    const answer = ask();
    answers.set(question, { asked, answer });
    return answer;
  }

  /**
   * Lets the next unit that waits for the turn of this one, and has done nothing yet, go on in the same
   * transaction. False when there is none.
   */
  passOn(): boolean {
    const [name = ''] = this.#turns.keys();
    if (!this.#passes(name) || !this.#ride.hasRoom) return false;
    return this.#lanes.pass(name, this.#ride) && this.#turns.delete(name);
  }

  /** It has this turn alone, and may pass its transaction on. */
  #passes(name: string): boolean {
    return !this.#isPatient && this.#held.has(name) && this.#turns.has(name) && this.#turns.size === 1;
  }

  /** It waits for its turn and can go on in the transaction of another. */
  get isReady(): boolean {
    // A unit that waits for two turns at once takes over one transaction.
    return !this.#ended && !this.#isPatient && !this.#begun && !this.#ride.isShared;
  }

  takeOver(ride: Ride): void {
    this.#ride.release(true);
    this.#ride = ride;
    this.#recount = ride.numbers.mark();
    ride.units.push(this);
  }

  withNext(go: () => void): void {
    this.#withNext.push(go);
  }

  /** Ends the turns, also those that have not come yet. */
  leaveTurns(): void {
    for (const turn of this.#turns.values()) void turn.then((leave) => leave?.());
    this.#turns.clear();
  }

  /**
   * Takes back the part of the unit, whose work failed, of a shared transaction. False when that is impossible:
   * nothing of the transaction can stay then.
   */
  async undo(): Promise<boolean> {
    await this.settled();
    if (this.wentOnInVain || runsAgain(this.failure)) return false;
    try {
      if (this.#begun) await this.#ride.client.query(this.#ride.partOf(this).undo);
      this.#recount();
      // Its own changes may be in them.
      this.#ride.answers.clear();
    } catch {
      return false;
    }
    this.failure = null;
    return true;
  }

  /** Refuses further statements. Resolves when the numbers are known that it has taken. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#taking;
  }

  /** True after the first statement was sent. */
  get begun(): boolean {
    return this.#begun !== null;
  }

  async #query(query: Sql | Statement, most?: number): Promise<QueryResult<Row>> {
    this.#refuseAfterEnd();
    if (this.failure !== null) throw databaseError(this.failure);
    const { client, statements } = this.#ride;
    try {
      if (!this.#begun) {
        // Sent together with the next statement: the connection is pipelined.
        this.#begun = client.query(this.#ride.partOf(this).begin);
        this.#begun.catch(() => {});
      }
      const statement = query instanceof Sql ? renderPostgres(query) : query;
      const answer = statements.query(client, statement, most);
      answer.catch(() => {});
      for (const go of this.#withNext.splice(0)) go();
      await this.#begun;
      return await answer;
    } catch (error) {
      this.failure ??= error;
      throw databaseError(error);
    }
  }
}

/** True for failures after which the work runs again. */
export function runsAgain(failure: unknown): boolean {
  return isSerializationFailure(failure) || isStalePlan(failure) || isConnectionLoss(failure);
}
