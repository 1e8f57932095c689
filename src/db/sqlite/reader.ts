import type { Connection, Row } from '../database.ts';
import { databaseError } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { renderSqlite, sqliteDialect } from './dialect.ts';
import type { Handle } from './handle.ts';
import { TOO_LONG } from './meter.ts';
import type { ScanPool } from './scan-pool.ts';

/**
 * Reads committed data. A statement that finds its rows by an index runs on the event loop, which is fastest;
 * a statement that reads many rows moves to a thread.
 *
 * From the second on, the statements of one turn of the event loop share a snapshot: taking and releasing one
 * costs as much as reading a row. A commit of this process ends it, so a read sees every acknowledged change. Where
 * other processes write, so does each request (`Database.refresh`).
 */
export class SqliteReader implements Connection {
  readonly dialect = sqliteDialect;
  readonly #handle: Handle;
  readonly #scans: ScanPool;
  /** Statements of this turn since the last commit. */
  #reads = 0;
  #turn: NodeJS.Immediate | null = null;
  #closed = false;

  constructor(handle: Handle, scans: ScanPool) {
    this.#handle = handle;
    this.#scans = scans;
  }

  /** Ends the snapshot. Called before each commit too, because a checkpoint waits for snapshots. */
  endSnapshot(): void {
    this.#reads = 0;
    if (!this.#closed && this.#handle.inTransaction) this.#handle.exec('rollback');
  }

  close(): void {
    this.#closed = true;
    if (this.#turn) clearImmediate(this.#turn);
    this.#handle.close();
  }

  #beginRead(): void {
    this.#reads += 1;
    this.#turn ??= setImmediate(this.#endTurn);
    if (this.#reads === 2) this.#handle.exec('begin');
  }

  readonly #endTurn = () => {
    this.#turn = null;
    this.endSnapshot();
  };

  async all(query: Sql | Statement, most?: number): Promise<Row[]> {
    const statement = rendered(query);
    try {
      this.#beginRead();
      return this.#handle.all(statement, most);
    } catch (error) {
      if (error !== TOO_LONG) throw databaseError(error);
    }
    return [...(await this.#scans.all(statement, most))];
  }

  async get(query: Sql | Statement): Promise<Row | undefined> {
    const statement = rendered(query);
    try {
      this.#beginRead();
      return this.#handle.get(statement);
    } catch (error) {
      if (error !== TOO_LONG) throw databaseError(error);
    }
    return (await this.#scans.all(statement))[0];
  }

  async run(query: Sql | Statement): Promise<number> {
    try {
      return this.#handle.run(rendered(query));
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function rendered(query: Sql | Statement): Statement {
  return query instanceof Sql ? renderSqlite(query) : query;
}
