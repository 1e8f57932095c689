import { DamagedDatabase } from '../db/damaged.ts';
import type { Connection } from '../db/database.ts';
import { openDatabase } from '../db/open-database.ts';
import { Sql, type Statement } from '../db/sql.ts';
import { renderSqlite, sqliteDialect } from '../db/sqlite/dialect.ts';
import { PinnedThread } from '../db/sqlite/pinned-thread.ts';

/** Reads a restored database that no server serves. */
export interface RestoredReader {
  readonly connection: Connection;
  close(): Promise<void>;
}

/** A check of all pages takes as long as the database is large. */
const PATIENCE = 24 * 60 * 60_000;

/**
 * Opens a restored database to check it. SQLite is read on a thread, because a check of a large file takes minutes
 * and would hold up the server. Once `signal` aborts, every statement rejects.
 * @throws DamagedDatabase
 */
export async function openRestored(url: string, signal: AbortSignal): Promise<RestoredReader> {
  signal.throwIfAborted();
  if (!url.startsWith('sqlite:')) {
    const database = await openDatabase(url, { queryTimeout: PATIENCE, connections: 2 });
    return { connection: heeding(database.reader, signal), close: () => database.close() };
  }
  const thread = await PinnedThread.open(url.slice('sqlite:'.length)).catch(damaged);
  // Ends a statement that takes minutes.
  signal.addEventListener('abort', () => void thread.close(), { once: true });
  const all = async (query: Sql | Statement) => {
    signal.throwIfAborted();
    const rows = await thread.all(query instanceof Sql ? renderSqlite(query) : query).catch(damaged);
    return [...rows];
  };
  const connection: Connection = {
    dialect: sqliteDialect,
    all,
    get: async (query) => (await all(query))[0],
    run: READ_ONLY,
  };
  return { connection, close: () => thread.close() };
}

/** Statements of PostgreSQL read one table at most, so a stop waits for the present one only. */
function heeding(reader: Connection, signal: AbortSignal): Connection {
  const all: Connection['all'] = async (query) => {
    signal.throwIfAborted();
    return reader.all(query);
  };
  return {
    dialect: reader.dialect,
    all,
    get: async (query) => (await all(query))[0],
    run: READ_ONLY,
  };
}

const READ_ONLY = () => Promise.reject(new Error('a restored database is only read'));

// The thread tells the message, and not the code.
function damaged(error: unknown): never {
  if (error instanceof Error && /malformed|not a database|disk I\/O error/.test(error.message)) {
    throw new DamagedDatabase(error);
  }
  throw error;
}
