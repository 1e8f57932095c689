import type { FieldValue } from '../kernel/value.ts';
import type { Dialect, IndexSpec } from './dialect.ts';
import type { FollowedLog, FollowLog } from './followed-log.ts';
import type { Position } from './position.ts';
import type { Sql, Statement } from './sql.ts';

/** A result row. Both engines return the same representation: text, number or null. */
export type Row = Record<string, FieldValue>;

/**
 * Runs statements. A `Statement` is text rendered earlier for this dialect, and hot paths keep it; an `Sql`
 * is rendered here. Driver errors that concern the caller become a `ServiceError`. On both engines, a failed
 * statement dooms its transaction, even if the caller catches the error.
 */
export interface Connection {
  readonly dialect: Dialect;
  /**
   * @throws ServiceError TooLarge when the texts of all rows together exceed `most` bytes; default: no limit
   */
  all(query: Sql | Statement, most?: number): Promise<Row[]>;
  get(query: Sql | Statement): Promise<Row | undefined>;
  /** Resolves to the number of rows changed. */
  run(query: Sql | Statement): Promise<number>;
  /**
   * Sends a statement without waiting: its rows arrive by the commit. If it fails, the transaction runs again
   * and waits for every statement, so that each error reaches its caller. Null, and not sent, where the caller
   * must wait. In a transaction that changes documents, only after it has changed or locked a row (`Followed`).
   */
  send?(query: Sql | Statement): Promise<Row[]> | null;
  /**
   * Before changing a row that many transactions change: waits until those of this process that came before
   * have sent their commit, or shares the transaction of the one before. It saves work, and promises nothing.
   */
  takeTurn?(name: string): Promise<void>;
  /**
   * Takes the turn of a counter, and its next number. It may take numbers for the units that wait for the turn too:
   * in one statement, so that they do not wait for their own.
   */
  count?(counter: Counter): Promise<number>;
  /** Before any other use of a counter's row: returns what this transaction has taken of it for others. */
  giveBack?(turn: string): Promise<void>;
  /**
   * Asks a question about data that others change. A unit that shares a transaction gets the answer of one before it,
   * if that was asked after this unit had begun to wait.
   */
  askTogether?<T>(question: string, ask: () => Promise<T>): Promise<T>;
  /** Only on SQLite: lets this transaction commit on a full disk (`isFull`), because it makes room or leads to that. */
  spendReserve?(): void;
  /** Calls `go` as soon as the next statement is on its way: a statement of `go` travels with it, behind it. */
  withNext?(go: () => void): void;
}

/** A row with a number that many transactions count on. It stays locked until the end of each. */
export interface Counter {
  /** The turn to take before. */
  readonly turn: string;
  /** Moves it by this number, and returns the new one as `current`. */
  add(count: number): Statement;
}

/** Runs a statement whose result nobody needs: sends it where that is possible. */
export async function sendOrRun(connection: Connection, query: Sql | Statement): Promise<void> {
  if (!connection.send?.(query)) await connection.run(query);
}

export interface Database {
  readonly dialect: Dialect;
  /** Reads committed data: each statement sees every change that this process acknowledged. Never write with it. */
  readonly reader: Connection;
  /**
   * Runs `work` in one transaction and resolves once it is durable (fsynced). On SQLite, units queue for the
   * one writer and share a commit, each in its own savepoint. On PostgreSQL, those that take the same turn may
   * share one; a serialization failure or deadlock runs `work` again, so `work` must have no effects outside
   * the transaction.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Runs one statement as a transaction of its own, on PostgreSQL in one round trip. It may be sent again after a
   * lost connection, so a second run must do no harm.
   */
  single(query: Sql | Statement): Promise<Row[]>;
  /** Notices between the processes on this database; null where only one process can open it. */
  readonly notices: Notices | null;
  /** Standbys that may answer reads; null where none is configured. */
  readonly replicas: Replicas | null;
  /** Builds indexes beside transactions that write; null on SQLite, which has one writer. */
  readonly indexBuilds: IndexBuilds | null;
  /** Only on SQLite with the option `followLog`. */
  readonly followedLog?: FollowedLog | null;
  /**
   * Only on SQLite: from now on, `reader` sees every commit of other processes until now. `newSchema`: one of
   * them may have changed tables.
   */
  refresh?(newSchema?: boolean): void;
  /** Resolves when the database can read and write: the readiness check. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Read replicas: standbys that answer those who carry the position of their last change. */
export interface Replicas {
  /** For `positionAfter`, at the beginning of a request. */
  readonly asked: number;
  /**
   * A position behind all changes that were committed when `asked` had this value, and behind all that this process
   * has made since then. Null when the database does not answer.
   */
  positionAfter(asked: number): Promise<Position | null>;
  /**
   * Reads committed data of a replica that has everything before this position, and of the primary as soon as a
   * read fails. Null when the primary has to answer. It may lack later changes, of the last
   * `replicaStaleness`, but not those that one of the objects in `loaded` was made from. Such an object is replaced
   * and never changed.
   */
  at(needed: Position, loaded?: readonly object[]): Connection | null;
  /** Reads with a position since the start, by the server that answered. */
  readonly reads: { readonly replica: number; readonly primary: number };
  /** Asks all replicas now. */
  figures(): Promise<readonly ReplicaFigures[]>;
}

/** The state of a replica. */
export interface ReplicaFigures {
  /** `host:port` */
  readonly host: string;
  /** Why it is not used; null while it is. */
  readonly problem: string | null;
  /** Bytes of the log that it has not replayed; null when unknown. */
  readonly behind: number | null;
}

/** Builds indexes of large tables while other transactions write, outside of any transaction. */
export interface IndexBuilds {
  /**
   * Runs `work` unless another process of the site builds indexes; then it resolves to false at once.
   */
  alone(work: (builder: IndexBuilder) => Promise<void>): Promise<boolean>;
  /** Ends running and later calls of `alone` with an error. The server finishes the index that it builds. */
  abandon(): void;
}

export interface IndexBuilder {
  /** Builds an index. May take hours; an interrupted build leaves an unfinished index. */
  build(table: string, index: IndexSpec): Promise<void>;
  /** Drops an index, unfinished or not. */
  drop(index: string): Promise<void>;
}

/** Notices between processes that something happened. A notice may get lost, so listeners must also poll. */
export interface Notices {
  /**
   * Sends a notice to the listeners of these names, or to all (null), including those of this process. Notices in
   * quick succession are combined.
   */
  send(sender: string, to: readonly string[] | null): void;
  /** Hears notices to this name, and those to all. Returns a function that stops it. */
  listen(name: string, heard: (sender: string) => void): () => void;
}

/** Options for tests and operators. */
export interface DatabaseOptions {
  /** Timeout of one transaction, milliseconds; default: LIMITS.transactionTimeout. */
  readonly transactionTimeout?: number;
  /** Timeout of one read outside transactions, milliseconds; default: LIMITS.queryTimeout. */
  readonly queryTimeout?: number;
  /** Connections to PostgreSQL; default: 15. */
  readonly connections?: number;
  /** A URL of the same database past a connection pooler, to hear notices. */
  readonly listenUrl?: string;
  /** URLs of standbys that may answer reads. */
  readonly replicas?: readonly string[];
  /** How far they may be behind, milliseconds; default: LIMITS.replicaStaleness. */
  readonly replicaStaleness?: number;
  /** Processes that open the database like this one; PostgreSQL must have room for all of them. Default: 1. */
  readonly workers?: number;
  /** Rows that SQLite reads on the event loop before it moves a statement to a thread; default: 12,288. */
  readonly inlineRows?: number;
  /** Another process writes: this one opens its connection for writing when it first needs one. SQLite only. */
  readonly seldomWrites?: boolean;
  /** Memory for pages, for each connection of SQLite, KiB; default: 32 MiB. */
  readonly cacheKib?: number;
  /** SQLite copies its log into the database file when it has grown by so much; bytes, default: 32 MiB. */
  readonly checkpointBytes?: number;
  /** Follows the log of SQLite, for a backup. */
  readonly followLog?: FollowLog;
  /** SQLite refuses changes with 507 while its log is larger and a reader keeps it; bytes, default: no limit. */
  readonly mostLogBytes?: number;
  /** SQLite warns when its log is larger and a reader keeps it; bytes, default: LIMITS.logWarning. */
  readonly logWarning?: number;
  /** Milliseconds that a shared commit stays open for more transactions; default: 4, on PostgreSQL 50. */
  readonly groupMillis?: number;
  /** Milliseconds that a transaction waits for its turn in this process; default, on PostgreSQL: 1,000. */
  readonly turnMillis?: number;
  /** Called when a transaction runs again after a serialization failure, a deadlock or a lost connection. */
  readonly onRetry?: (reason: string, attempt: number) => void;
  /** Called with advice for the operator. */
  readonly onWarning?: (message: string) => void;
  /** Called once when the disk fails. The database then refuses changes until it is opened again. */
  readonly onFailure?: (error: unknown) => void;
  /** Called for each change refused because the disk is full. */
  readonly onFull?: () => void;
  /** True while only transactions that may use the reserve are committed, if they change anything. SQLite only. */
  readonly isFull?: () => boolean;
}
