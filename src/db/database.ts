import type { FieldValue } from '../kernel/value.ts';
import type { Dialect } from './dialect.ts';
import type { Sql, Statement } from './sql.ts';

/** A result row. Both engines give the same representation: text, number or null. */
export type Row = Record<string, FieldValue>;

/**
 * Where statements run. A `Statement` is text rendered earlier for this dialect (hot paths keep it);
 * an `Sql` is rendered here. Driver errors surface as `ServiceError` where they mean something to a caller.
 */
export interface Connection {
  readonly dialect: Dialect;
  all(query: Sql | Statement): Promise<Row[]>;
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
  /** Resolves when it can answer a query: readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
