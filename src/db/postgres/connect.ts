import type { Client, Pool, PoolClient } from 'pg';
import type { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { OutOfSpace } from '../../kernel/out-of-space.ts';
import type { Connection, Database, DatabaseOptions } from '../database.ts';
import { quote } from '../ddl.ts';
import {
  databaseError,
  isConnectionLoss,
  isSerializationFailure,
  isStalePlan,
  unavailable,
} from '../driver-errors.ts';
import { UnusableDatabase } from '../unusable.ts';
import { ownClient } from './client.ts';
import { postgresDialect } from './dialect.ts';
import { Lanes } from './lanes.ts';
import { NamedStatements } from './named-statements.ts';
import { PostgresNotices } from './notices.ts';
import { PostgresReader } from './reader.ts';
import { Ride } from './ride.ts';
import { type PostgresSettings, postgresSettings } from './settings.ts';
import { PostgresTransaction, runsAgain } from './transaction.ts';

/** All connections of a process, and the pipelined ones for reads. */
const CONNECTIONS = 15;
const READERS = 2;
/** What is not left for transactions: connections for reads, for long reads, and for notices. */
const OTHERS = READERS + LIMITS.scanThreads + 1;
/** The most attempts at one transaction. */
const ATTEMPTS = 5;
/** The time that a shared transaction stays open for more units; milliseconds. */
const SHARED_MILLIS = 50;

/**
 * Connects and checks the server. While the connection is lost later, requests get 503; it recovers by
 * itself.
 * @throws UnusableDatabase
 */
export async function openPostgres(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { connections = CONNECTIONS } = options;
  const settings = postgresSettings(url, options.transactionTimeout);
  const { default: driver } = await import('pg');
  // The statements of a transaction wait for no other request, those of many readers go out together.
  const Own = ownClient(driver.Client, process.nextTick);
  const Reading = ownClient(driver.Client, setImmediate);
  const newClient = () => new Own(settings.client);
  await checkServer(newClient(), settings, options);
  const pool = new driver.Pool({
    ...settings.client,
    Client: Own,
    // The pool also waits this long for a free connection, which is no network failure.
    connectionTimeoutMillis: options.transactionTimeout ?? LIMITS.transactionTimeout,
    max: connections - OTHERS,
    idleTimeoutMillis: 60_000,
  });
  pool.on('error', () => {});
  // The pool listens for errors only while a connection is idle, and an unhandled error event ends the
  // process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const { queryTimeout = LIMITS.queryTimeout } = options;
  const patient = { statement_timeout: queryTimeout, query_timeout: queryTimeout + 10_000 };
  const newReading = () => new Reading({ ...settings.client, ...patient });
  const reader = new PostgresReader(newReading, READERS, queryTimeout);
  const notices = new PostgresNotices(newClient, reader, settings.schema);
  const transactions = new Transactions(pool, options);
  let closing: Promise<void> | null = null;
  return {
    dialect: postgresDialect,
    reader,
    transaction: (work) => transactions.run(work),
    notices,
    async ping() {
      await reader.get({ text: 'select 1', values: [] });
    },
    close() {
      closing ??= notices
        .close()
        .then(() => Promise.all([pool.end(), reader.close()]))
        .then(() => {});
      return closing;
    },
  };
}

const CHECKS = `select current_setting('server_version_num')::int as version,
  current_setting('server_version') as named,
  current_setting('server_encoding') as encoding,
  current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as synchronous,
  current_setting('max_connections')::int as most,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) as room,
  exists (select from pg_collation where collname = 'und-x-icu') as icu`;

async function checkServer(client: Client, settings: PostgresSettings, options: DatabaseOptions) {
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(CHECKS);
    const is = rows[0];
    if (is.version < 140_000) throw new Error(`PostgreSQL 14 or later is needed, not ${is.named}`);
    if (is.encoding !== 'UTF8') throw new Error(`the database must be encoded in UTF8, not ${is.encoding}`);
    if (is.icu !== 1) throw new Error('the server must be built with ICU (collation und-x-icu)');
    const { connections = CONNECTIONS, workers = 1 } = options;
    if (workers > 1 && workers * connections > is.room) {
      throw new Error(
        `${workers} workers use up to ${workers * connections} connections, and max_connections ${is.most} leaves room for ${is.room}. Lower workers or databaseConnections, or raise max_connections of PostgreSQL`,
      );
    }
    if (is.fsync === 'off' && !settings.unsafe) {
      throw new Error('the server runs with fsync=off and may lose acknowledged changes');
    }
    if (is.synchronous === 'off' && !settings.unsafe) {
      options.onWarning?.('synchronous_commit is off: a crash of the server may lose the latest changes');
    }
    if (settings.schema !== null) await createSchema(client, settings.schema);
  } catch (error) {
    const why = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error);
    throw new UnusableDatabase(
      `cannot use the PostgreSQL database ${settings.label}: ${why.replace(/^[a-z]*error: /i, '')}`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

async function createSchema(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query('select 1 from pg_namespace where nspname = $1', [schema]);
  if (rows.length > 0) return;
  await client.query(`create schema if not exists ${quote(schema)}`).catch((error: { code?: string }) => {
    // Another process started at the same time and created it.
    if (error.code !== '23505' && error.code !== '42P06') throw error;
  });
}

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

class Transactions {
  readonly #pool: Pool;
  readonly #options: DatabaseOptions;
  readonly #statements = new WeakMap<PoolClient, NamedStatements>();
  readonly #lanes = new Lanes<Ride>();

  constructor(pool: Pool, options: DatabaseOptions) {
    this.#pool = pool;
    this.#options = options;
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
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw databaseError(error);
    });
    const statements = this.#statements.get(client) ?? new NamedStatements();
    this.#statements.set(client, statements);
    const ride = new Ride(client, statements, this.#options.groupMillis ?? SHARED_MILLIS);
    const unit = new PostgresTransaction(ride, this.#lanes, isPatient);
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
      unit.end();
      if (unit.failure !== null) throw databaseError(unit.failure);
      return value;
    } catch (error) {
      unit.end();
      throw unit.ride.isShared ? await this.#leaveOut(unit, error) : await rollBack(unit, error);
    }
  }

  /** Lets the next unit go on in the same transaction, or commits. Resolves after the commit. */
  async #end(unit: PostgresTransaction): Promise<void> {
    const { ride } = unit;
    const goesOn = unit.passOn();
    if (ride.isShared) {
      if (!goesOn) void commitShared(unit);
      return ride.committed;
    }
    try {
      if (unit.begun) await commit(unit);
    } catch (error) {
      throw await rollBack(unit, error);
    }
    ride.release(true);
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
    const millis = this.#options.transactionTimeout ?? LIMITS.transactionTimeout;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Deadline()), millis);
      running.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

class Deadline extends Error {}

/** The connection broke during the commit. Its outcome is unknown, so the transaction is not retried. */
class CommitLost extends Error {}

function tookTooLong(): ServiceError {
  return unavailable('The change took too long and was rolled back');
}

/** Rolls back the transaction of a unit that is alone in it. Resolves to the error to throw. */
async function rollBack(unit: PostgresTransaction, error: unknown): Promise<unknown> {
  if (!(error instanceof Deadline)) await unit.settled();
  const cause = unit.failure;
  if (error instanceof CommitLost) {
    unit.ride.release(false);
    return databaseError(error.cause);
  }
  // After a deadline, a statement may still run; a lost connection cannot roll back. Both connections are
  // discarded.
  let healthy = !(error instanceof Deadline) && !isConnectionLoss(cause) && !isStalePlan(cause);
  if (healthy && unit.begun) healthy = await rolledBack(unit.ride.client);
  unit.ride.release(healthy);
  if (runsAgain(cause) || isSerializationFailure(error)) return new Retry(cause ?? error);
  if (unit.wentOnInVain) return new TooHasty();
  return error instanceof Deadline ? tookTooLong() : databaseError(error);
}

/** Commits a shared transaction. If it fails, each unit runs again alone and waits for each statement. */
async function commitShared(last: PostgresTransaction): Promise<void> {
  try {
    await commit(last);
    last.ride.succeed();
  } catch (error) {
    last.ride.fail(error instanceof CommitLost ? databaseError(error.cause) : new TooHasty());
  }
}

// Sent behind the statements that nobody waited for: if one of them failed, the server rolls back.
async function commit(last: PostgresTransaction): Promise<void> {
  const { client, units } = last.ride;
  let command: string;
  try {
    const committing = client.query('commit');
    // The next transaction may send its statement meanwhile: it waits for the row lock.
    last.leaveTurns();
    ({ command } = await committing);
  } catch (error) {
    if (isConnectionLoss(error)) throw new CommitLost('commit lost', { cause: error });
    throw error;
  }
  // The server's word counts: what a unit had left behind can be told late that it failed.
  if (command === 'COMMIT') return;
  await Promise.all(units.map((unit) => unit.settled()));
  const failed = units.find(({ failure }) => failure !== null);
  if (failed) throw databaseError(failed.failure);
  throw new Error('the transaction was rolled back: a statement failed unnoticed');
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
