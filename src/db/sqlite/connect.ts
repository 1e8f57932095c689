import type { Database, DatabaseOptions } from '../database.ts';
import type { Statement } from '../sql.ts';
import { sqliteDialect } from './dialect.ts';
import { Handle } from './handle.ts';
import { inline, timed } from './meter.ts';
import { SqliteReader } from './reader.ts';
import { ScanPool } from './scan-pool.ts';
import { Writer } from './writer.ts';

/** Opens the database file at `path`; its directory must exist. @throws UnusableDatabase */
export function openSqlite(path: string, options: DatabaseOptions = {}): Database {
  const { cacheKib } = options;
  const writing = Handle.open(path, 'writer', timed(options.queryTimeout), cacheKib);
  const reading = Handle.open(path, 'reader', inline(options.inlineRows), cacheKib);
  const scans = new ScanPool(path, options.queryTimeout);
  const reader = new SqliteReader(reading, scans);
  const onSchemaChange = () => {
    reading.forgetStatements();
    scans.forgetStatements();
  };
  const writer = new Writer(writing, {
    ...options,
    onSchemaChange,
    beforeCommit: () => reader.endSnapshot(),
  });
  let closing: Promise<void> | null = null;
  return {
    dialect: sqliteDialect,
    reader,
    transaction: (work) => writer.submit(work),
    notices: null,
    async ping() {
      if (writer.failure) throw writer.failure;
      reading.get(PING);
    },
    close() {
      closing ??= Promise.all([writer.close(), scans.close()]).then(() => {
        reader.close();
        // Closed last, because the last connection checkpoints the log into the database file.
        writing.close();
      });
      return closing;
    },
  };
}

const PING: Statement = { text: 'select 1', values: [] };
