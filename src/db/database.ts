import type { FieldValue } from '../kernel/value.ts';
import type { Dialect } from './dialect.ts';
import type { Sql, Statement } from './sql.ts';

/** A result row. Both engines give the same representation: text, number or null. */
export type Row = Record<string, FieldValue>;

/**
 * Where statements run. A `Statement` is text rendered earlier for this dialect (hot paths keep it);
 * an `Sql` is rendered here. Driver errors surface as `ServiceError` where they mean something to a caller.
 * A statement that fails in a transaction dooms it on both engines: catching the error does not save the rest.
 */
export interface Connection {
  readonly dialect: Dialect;
  /**
   * @throws ServiceError TooLarge when the texts of the rows have more than `most` bytes together; by
   * default, any number
   */
  all(query: Sql | Statement, most?: number): Promise<Row[]>;
  get(query: Sql | Statement): Promise<Row | undefined>;
  /** Resolves to the number of rows changed. */
  run(query: Sql | Statement): Promise<number>;
}

export interface Database {
  readonly dialect: Dialect;
  /** Committed data only; each statement sees its own snapshot. Never use it for writes. */
  readonly reader: Connection;
  /**
   * Runs `work` in one transaction and resolves once it is durable (fsynced). On SQLite units queue for the one
   * writer and share a commit, each in its own savepoint; on PostgreSQL a serialization failure or deadlock runs
   * `work` again, so `work` must not have effects outside the transaction.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Between the processes on this database; null where there is only one. */
  readonly notices: Notices | null;
  /** Resolves when it can answer a query and take a change: readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Word between processes that something happened. It may get lost, so it only ever spares waiting. */
export interface Notices {
  /** Tells everyone who listens, this process included, soon after; several at a time are one. */
  send(sender: string): void;
  /** Returns how to stop that. */
  listen(heard: (sender: string) => void): () => void;
}

/** What tests and the operator may want to differ. */
export interface DatabaseOptions {
  /** Milliseconds one transaction may take; LIMITS.transactionTimeout. */
  readonly transactionTimeout?: number;
  /** Milliseconds one read outside transactions may take; LIMITS.queryTimeout. */
  readonly queryTimeout?: number;
  /** Rows that SQLite reads on the event loop before it hands a statement to a thread; 8,192. */
  readonly inlineRows?: number;
  /** Milliseconds a commit that SQLite's transactions share stays open for more of them; 4. */
  readonly groupMillis?: number;
  /** A transaction is run again after a serialization failure, a deadlock or a lost connection. */
  readonly onRetry?: (reason: string, attempt: number) => void;
  /** Something the operator should change, in words. */
  readonly onWarning?: (message: string) => void;
  /** The disk failed: the database takes no change any more until it is opened again. Called once. */
  readonly onFailure?: (error: unknown) => void;
}
