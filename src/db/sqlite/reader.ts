import type { Connection, Row } from '../database.ts';
import { databaseError } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { renderSqlite, sqliteDialect } from './dialect.ts';
import type { Handle } from './handle.ts';
import { TOO_LONG } from './meter.ts';
import type { ScanPool } from './scan-pool.ts';

/**
 * Reads committed data. A statement that finds its rows by an index runs on the event loop, which is fastest;
 * a statement that reads many rows moves to a thread. Each statement has its own snapshot, so both give the
 * same result.
 */
export class SqliteReader implements Connection {
  readonly dialect = sqliteDialect;
  readonly #handle: Handle;
  readonly #scans: ScanPool;

  constructor(handle: Handle, scans: ScanPool) {
    this.#handle = handle;
    this.#scans = scans;
  }

  async all(query: Sql | Statement, most?: number): Promise<Row[]> {
    const statement = rendered(query);
    try {
      return this.#handle.all(statement, most);
    } catch (error) {
      if (error !== TOO_LONG) throw databaseError(error);
    }
    return [...(await this.#scans.all(statement, most))];
  }

  async get(query: Sql | Statement): Promise<Row | undefined> {
    const statement = rendered(query);
    try {
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
