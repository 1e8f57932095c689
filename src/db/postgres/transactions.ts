import type { Pool, PoolClient } from 'pg';
import type { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { OutOfSpace } from '../../kernel/out-of-space.ts';
import type { Connection, DatabaseOptions } from '../database.ts';
import {
  databaseError,
  isConnectionLoss,
  isSerializationFailure,
  isStalePlan,
  OutcomeUnknown,
  unavailable,
} from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import { Lanes } from './lanes.ts';
import { NamedStatements } from './named-statements.ts';
import { Outcomes, replicated } from './outcomes.ts';
import type { Positions } from './positions.ts';
import { Ride } from './ride.ts';
import type { Session } from './session.ts';
import type { Awaiting } from './silence.ts';
import { PostgresTransaction, runsAgain } from './transaction.ts';

/** The most attempts at one transaction. */
const ATTEMPTS = 5;
/** The time that a shared transaction stays open for more units; milliseconds. */
const SHARED_MILLIS = 50;

/** Thrown internally to run the work again, waiting for every statement. */
class TooHasty extends Error {}

/** Thrown internally to run the work again. */
class Retry extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('transaction to be run again');
    this.reason = reason;
  }
}

/** Runs units of work on the pool's connections: begins, commits, rolls back, and runs them again. */
export class Transactions {
  readonly #pool: Pool;
  readonly #session: Session;
  readonly #options: DatabaseOptions;
  readonly #statements = new WeakMap<PoolClient, NamedStatements>();
  readonly #lanes: Lanes<Ride>;
  readonly #outcomes: Outcomes;
  readonly #positions: Positions | null;

  /** `positions`: told the position of each commit; null where nobody needs it. */
  constructor(pool: Pool, session: Session, options: DatabaseOptions, positions: Positions | null) {
    this.#pool = pool;
    this.#session = session;
    this.#options = options;
    this.#lanes = new Lanes(options.turnMillis);
    this.#positions = positions;
    this.#outcomes = new Outcomes(pool, session.schema, Math.min(LIMITS.outcomeTimeout, this.#timeout));
  }

  get #timeout(): number {
    return this.#options.transactionTimeout ?? LIMITS.transactionTimeout;
  }

  async run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let isPatient = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work, isPatient);
      } catch (error) {
        if (error instanceof TooHasty) {
          isPatient = true;
          continue;
        }
        if (error instanceof OutOfSpace) this.#options.onFull?.();
        if (!(error instanceof Retry)) throw error;
        if (attempt >= ATTEMPTS) throw databaseError(error.reason);
        const reason = error.reason instanceof Error ? error.reason.message : String(error.reason);
        this.#options.onRetry?.(reason, attempt);
        // A random pause, so that the same two transactions do not collide again.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt));
      }
    }
  }

  async #attempt<T>(work: (connection: Connection) => Promise<T>, isPatient: boolean): Promise<T> {
    if (this.#pool.waitingCount >= LIMITS.waitingTransactions) throw unavailable();
    const arrived = performance.now();
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw databaseError(error);
    });
    const statements = this.#statements.get(client) ?? new NamedStatements(this.#session);
    this.#statements.set(client, statements);
    const { begin, dialect } = this.#session;
    const ride = new Ride(client, statements, begin, this.#options.groupMillis ?? SHARED_MILLIS);
    const unit = new PostgresTransaction(ride, dialect, this.#lanes, isPatient, arrived);
    try {
      const value = await this.#run(unit, work);
      await this.#end(unit);
      return value;
    } finally {
      unit.leaveTurns();
    }
  }

  async #run<T>(unit: PostgresTransaction, work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      const value = await this.#within(work(unit));
      await unit.end();
      if (unit.failure !== null) throw databaseError(unit.failure);
      return value;
    } catch (error) {
      const ended = unit.end();
      if (!(error instanceof Deadline)) await ended;
      throw unit.ride.isShared ? await this.#leaveOut(unit, error) : await rollBack(unit, error);
    }
  }

  /** Lets the next unit go on in the same transaction, or commits. Resolves after the commit. */
  async #end(unit: PostgresTransaction): Promise<void> {
    const { ride } = unit;
    const goesOn = unit.passOn();
    if (ride.isShared) {
      if (!goesOn) void this.#commitShared(unit);
      return ride.committed;
    }
    try {
      if (unit.begun) await this.#commit(unit);
    } catch (error) {
      throw isSettled(error) ? error : await rollBack(unit, error);
    }
    ride.release(true);
  }

  /** Commits a shared transaction. If it fails, each unit runs again alone and waits for each statement. */
  async #commitShared(last: PostgresTransaction): Promise<void> {
    try {
      await this.#commit(last);
      last.ride.succeed();
    } catch (error) {
      last.ride.fail(error instanceof OutcomeUnknown ? error : new TooHasty());
    }
  }

  /**
   * Travels behind the statements that nobody waited for: if one of them failed, the server rolls back.
   * @throws Retry when the reply got lost and the transaction was not committed; OutcomeUnknown
   */
  async #commit(last: PostgresTransaction): Promise<void> {
    const token = this.#outcomes.next();
    try {
      await sendCommit(last, this.#outcomes.note(token), this.#positions);
    } catch (error) {
      if (!(error instanceof CommitLost)) throw error;
      // The question needs a place in the pool.
      last.ride.release(false);
      if (await this.#outcomes.wasMade(token).finally(() => this.#positions?.lose())) return;
      throw new Retry(isConnectionLoss(error.cause) ? error.cause : unavailable());
    } finally {
      this.#outcomes.forget(token);
    }
  }

  /** A unit failed in a shared transaction; the others stay in it. Resolves to the error for its caller. */
  async #leaveOut(unit: PostgresTransaction, error: unknown): Promise<unknown> {
    if (error instanceof Deadline || !(await unit.undo())) {
      unit.ride.fail(new TooHasty());
      return error instanceof Deadline ? tookTooLong() : new TooHasty();
    }
    // A refusal may depend on what other units wrote, so it waits for their commit.
    await this.#end(unit);
    return databaseError(error);
  }

  #within<T>(running: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Deadline()), this.#timeout);
      running.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

class Deadline extends Error {}

/** The reply to a commit got lost. */
class CommitLost extends Error {}

/** Nothing is left to roll back. */
function isSettled(error: unknown): boolean {
  return error instanceof Retry || error instanceof OutcomeUnknown;
}

function tookTooLong(): ServiceError {
  return unavailable('The change took too long and was rolled back');
}

/** Rolls back the transaction of a unit that is alone in it. Resolves to the error to throw. */
async function rollBack(unit: PostgresTransaction, error: unknown): Promise<unknown> {
  if (!(error instanceof Deadline)) await unit.settled();
  const cause = unit.failure;
  // After a deadline, a statement may still run; a lost connection cannot roll back. Both connections are
  // discarded.
  let healthy = !(error instanceof Deadline) && !isConnectionLoss(cause) && !isStalePlan(cause);
  if (healthy && unit.begun) healthy = await rolledBack(unit.ride.client);
  unit.ride.release(healthy);
  if (runsAgain(cause) || isSerializationFailure(error)) return new Retry(cause ?? error);
  if (unit.wentOnInVain) return new TooHasty();
  return error instanceof Deadline ? tookTooLong() : databaseError(error);
}

async function sendCommit(
  last: PostgresTransaction,
  note: Statement,
  positions: Positions | null,
): Promise<void> {
  const { ride } = last;
  const parting = [...ride.numbers.giveBack(), note];
  const parted = Promise.all(parting.map((statement) => ride.statements.query(ride.client, statement)));
  parted.catch(() => {});
  const { connection } = ride.client as unknown as Awaiting;
  const late = setTimeout(() => connection.stream.destroy(), LIMITS.commitTimeout);
  let command: string;
  try {
    const committing = replicated(ride.client, () => ride.client.query('commit'));
    // Behind the commit: the server begins to answer it when the commit is done.
    const placed = positions?.ask(
      async (question) => (await ride.statements.query(ride.client, question)).rows[0],
    );
    // The next transaction may send its statement meanwhile: it waits for the row lock.
    last.leaveTurns();
    ({ command } = await committing);
    if (placed && (await placed) === null) positions?.lose();
  } catch (error) {
    if (saysNo(error)) throw error;
    throw new CommitLost('commit lost', { cause: error });
  } finally {
    clearTimeout(late);
  }
  // The server's word counts: what a unit had left behind can be told late that it failed.
  if (command === 'COMMIT') return;
  if (command !== 'ROLLBACK') throw new CommitLost('commit unclear');
  await Promise.all(ride.units.map((unit) => unit.settled()));
  const failed = ride.units.find(({ failure }) => failure !== null);
  if (failed) throw databaseError(failed.failure);
  await parted.catch((error: unknown) => {
    throw databaseError(error);
  });
  throw new Error('the transaction was rolled back: a statement failed unnoticed');
}

/** The server has answered that it did not commit. Any other error tells nothing about the commit. */
function saysNo(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && !isConnectionLoss(error);
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
