import { LIMITS } from '../../kernel/limits.ts';
import { OutOfSpace } from '../../kernel/out-of-space.ts';
import type { Connection, Row } from '../database.ts';
import { databaseError, isBusy, OutcomeUnknown, StorageFailure, unavailable } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { renderSqlite, sqliteDialect } from './dialect.ts';
import type { Handle } from './handle.ts';

/** The most units in one commit, and the time that a group stays open for more; milliseconds. */
const GROUP_UNITS = 256;
const GROUP_MILLIS = 4;
const DISK_FAILED = 'The disk of the server failed during the commit of this change';

interface WriterOptions {
  /** Milliseconds after which a unit is rolled back. */
  readonly transactionTimeout?: number;
  readonly groupMillis?: number;
  readonly beforeCommit?: () => void;
  /** The next group waits for its result. */
  readonly afterCommit?: () => Promise<void> | null;
  /** Called after a commit that may have changed the schema, before any unit is answered. */
  readonly onSchemaChange: () => void;
  readonly onFailure?: (error: unknown) => void;
  readonly onFull?: () => void;
  readonly isFull?: () => boolean;
}

interface Unit {
  readonly work: (connection: Connection) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * The only writer of the process. Queued units run in order, each in its own savepoint of one transaction.
 * One commit (and one fsync) completes all of them, and no unit is answered before it.
 *
 * After a disk failure the writer refuses all changes: the operating system may report a failed fsync once
 * and then treat lost pages as written, so a later commit could succeed on top of a hole. Reopening the
 * database reads the actual state.
 */
export class Writer {
  readonly #handle: Handle;
  readonly #beforeCommit: () => void;
  readonly #afterCommit: () => Promise<void> | null;
  readonly #onSchemaChange: () => void;
  readonly #groupMillis: number;
  readonly #queue: Unit[] = [];
  readonly #deadline: NodeJS.Timeout;
  readonly #onFailure: (error: unknown) => void;
  readonly #onFull: () => void;
  readonly #isFull: () => boolean;
  #expire: () => void = () => {};
  #failure: StorageFailure | null = null;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(handle: Handle, options: WriterOptions) {
    this.#handle = handle;
    this.#beforeCommit = options.beforeCommit ?? (() => {});
    this.#afterCommit = options.afterCommit ?? (() => null);
    this.#onSchemaChange = options.onSchemaChange;
    this.#onFailure = options.onFailure ?? (() => {});
    this.#onFull = options.onFull ?? (() => {});
    this.#isFull = options.isFull ?? (() => false);
    this.#groupMillis = options.groupMillis ?? GROUP_MILLIS;
    // One timer for all units: restarting it costs far less than making a timer for each.
    const millis = options.transactionTimeout ?? LIMITS.transactionTimeout;
    this.#deadline = setTimeout(() => this.#expire(), millis).unref();
  }

  /** The reason why changes are refused; null in normal operation. */
  get failure(): StorageFailure | null {
    return this.#failure;
  }

  /**
   * @throws ServiceError ServiceUnavailableError when too many units wait, a unit exceeds its timeout, or the
   * disk failed
   */
  submit<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) return reject(unavailable('The server is stopping'));
      if (this.#failure) return reject(this.#failure);
      if (this.#queue.length >= LIMITS.waitingTransactions) return reject(unavailable());
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when every unit is answered. Refuses later units. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    clearTimeout(this.#deadline);
  }

  async #drain(): Promise<void> {
    this.#deadline.ref();
    while (this.#queue.length > 0) {
      // Requests that arrived in this turn of the event loop can share the commit.
      await new Promise(setImmediate);
      await this.#group();
      const slower = this.#afterCommit();
      if (slower) await slower;
    }
    this.#deadline.unref();
    this.#running = null;
  }

  async #group(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      const why = databaseError(error);
      this.fail(why);
      for (const unit of this.#queue.splice(0)) unit.reject(why);
      return;
    }
    const started = performance.now();
    const alone = this.#queue.length === 1;
    const done: { unit: Unit; outcome: Outcome }[] = [];
    let failure: unknown = null;
    do {
      const unit = this.#queue.shift();
      if (!unit) break;
      const outcome = await this.#run(unit, alone);
      done.push({ unit, outcome });
      // On a full disk SQLite rolls back the whole transaction itself: nothing of this group remains.
      if (!this.#handle.inTransaction) failure = outcome.ok ? unavailable() : outcome.error;
      else if (!outcome.ok && outcome.error instanceof StorageFailure) failure = outcome.error;
    } while (
      failure === null &&
      !alone &&
      done.length < GROUP_UNITS &&
      performance.now() - started < this.#groupMillis
    );
    // Nobody can tell what a disk has stored that fails at a commit.
    let isUnknown = false;
    if (failure === null) {
      failure = this.#commit();
      isUnknown = failure instanceof StorageFailure;
    } else this.#rollBack();
    this.fail(failure);
    if (this.#handle.schemaChanged) {
      this.#handle.schemaChanged = false;
      this.#handle.forgetStatements();
      this.#onSchemaChange();
    }
    for (const { unit, outcome } of done) {
      if (failure === null && !outcome.ok) this.fail(outcome.error);
      // A refusal may depend on another unit's writes in this group, so it fails with the group.
      if (failure !== null)
        unit.reject(isUnknown && outcome.ok ? new OutcomeUnknown(failure, DISK_FAILED) : failure);
      else if (outcome.ok) unit.resolve(outcome.value);
      else unit.reject(outcome.error);
    }
  }

  /** Refuses all changes from now on if the disk failed. Other failures change nothing. */
  fail(failure: unknown): void {
    if (failure instanceof OutOfSpace) this.#onFull();
    if (!(failure instanceof StorageFailure) || this.#failure) return;
    this.#failure = failure;
    for (const unit of this.#queue.splice(0)) unit.reject(failure);
    this.#onFailure(failure);
  }

  /** Takes the write lock. While another process has it, retries without blocking the event loop. */
  async #begin(): Promise<void> {
    const until = performance.now() + LIMITS.lockTimeout;
    for (;;) {
      try {
        this.#handle.exec('begin immediate');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  async #run(unit: Unit, alone: boolean): Promise<Outcome> {
    const connection = new UnitConnection(this.#handle);
    let outcome: Outcome;
    try {
      if (!alone) this.#handle.exec('savepoint unit');
      const before = this.#isFull() ? this.#changes() : null;
      outcome = await this.#settle(unit, connection);
      if (before !== null && !connection.maySpendReserve && this.#changes() !== before)
        throw new OutOfSpace('database');
    } catch (error) {
      outcome = { ok: false, error: databaseError(error) };
    }
    this.#expire = () => {};
    if (connection.failure !== null) outcome = { ok: false, error: connection.failure };
    connection.end();
    if (!this.#handle.inTransaction) return outcome;
    try {
      if (!alone) {
        if (!outcome.ok) this.#handle.exec('rollback to unit');
        this.#handle.exec('release unit');
      } else if (!outcome.ok) {
        this.#handle.exec('rollback');
        // Nothing is left to commit. An empty transaction keeps the caller's path the same.
        this.#handle.exec('begin');
      }
    } catch (error) {
      outcome = { ok: false, error: databaseError(error) };
      this.#rollBack();
    }
    return outcome;
  }

  #settle(unit: Unit, connection: UnitConnection): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#expire = () =>
        resolve({ ok: false, error: unavailable('The change took too long and was rolled back') });
      this.#deadline.refresh();
      const refuse = (error: unknown) => resolve({ ok: false, error });
      try {
        unit.work(connection).then((value) => resolve({ ok: true, value }), refuse);
      } catch (error) {
        refuse(error);
      }
    });
  }

  /** Rows that this connection has changed since it was opened. */
  #changes(): unknown {
    return this.#handle.get({ text: 'select total_changes() as "n"', values: [] })?.['n'];
  }

  /** Commits. Resolves to the error, or null. */
  #commit(): unknown {
    try {
      this.#beforeCommit();
      if (this.#handle.schemaChanged) this.#handle.forgetStatistics();
      this.#handle.exec('commit');
      return null;
    } catch (error) {
      this.#rollBack();
      return databaseError(error) ?? unavailable();
    }
  }

  #rollBack(): void {
    try {
      if (this.#handle.inTransaction) this.#handle.exec('rollback');
    } catch {
      // The first failure is the one to report.
    }
  }
}

/**
 * The connection of one unit. It is unusable after the unit's end, so that forgotten work cannot write into
 * another unit.
 */
class UnitConnection implements Connection {
  readonly dialect = sqliteDialect;
  #handle: Handle | null;
  /** The error of the first failed statement. The unit can no longer commit. */
  failure: unknown = null;
  maySpendReserve = false;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  end(): void {
    this.#handle = null;
  }

  spendReserve(): void {
    this.maySpendReserve = true;
  }

  async all(query: Sql | Statement, most?: number): Promise<Row[]> {
    return this.#attempt((handle, statement) => handle.all(statement, most), query);
  }

  async get(query: Sql | Statement): Promise<Row | undefined> {
    return this.#attempt((handle, statement) => handle.get(statement), query);
  }

  async run(query: Sql | Statement): Promise<number> {
    return this.#attempt((handle, statement) => handle.run(statement), query);
  }

  #attempt<T>(use: (handle: Handle, statement: Statement) => T, query: Sql | Statement): T {
    if (!this.#handle) throw new Error('this transaction has ended');
    if (this.failure !== null) throw this.failure;
    try {
      return use(this.#handle, query instanceof Sql ? renderSqlite(query) : query);
    } catch (error) {
      this.failure = databaseError(error);
      throw this.failure;
    }
  }
}
