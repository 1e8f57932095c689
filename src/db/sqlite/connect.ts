import type { Connection, Database, DatabaseOptions } from '../database.ts';
import { databaseError } from '../driver-errors.ts';
import { Sql, type Statement } from '../sql.ts';
import { renderSqlite, sqliteDialect } from './dialect.ts';
import { Handle } from './handle.ts';
import { Writer } from './writer.ts';

/** Opens the database file at `path`; its directory must exist. @throws UnusableDatabase */
export function openSqlite(path: string, options: DatabaseOptions = {}): Database {
  const writing = Handle.open(path, 'writer');
  const reading = Handle.open(path, 'reader');
  const onSchemaChange = () => reading.forgetStatements();
  const writer = new Writer(writing, { ...options, onSchemaChange });
  let closing: Promise<void> | null = null;
  return {
    dialect: sqliteDialect,
    reader: readerOf(reading),
    transaction: (work) => writer.submit(work),
    async ping() {
      reading.get(PING);
    },
    close() {
      closing ??= writer.close().then(() => {
        reading.close();
        // Last, because the last connection folds the log into the database file.
        writing.close();
      });
      return closing;
    },
  };
}

const PING: Statement = { text: 'select 1', values: [] };

function readerOf(handle: Handle): Connection {
  const statement = (query: Sql | Statement) => (query instanceof Sql ? renderSqlite(query) : query);
  return {
    dialect: sqliteDialect,
    async all(query) {
      try {
        return handle.all(statement(query));
      } catch (error) {
        throw databaseError(error);
      }
    },
    async get(query) {
      try {
        return handle.get(statement(query));
      } catch (error) {
        throw databaseError(error);
      }
    },
    async run(query) {
      try {
        return handle.run(statement(query));
      } catch (error) {
        throw databaseError(error);
      }
    },
  };
}
