import type { Connection, Database, DatabaseOptions } from '../database.ts';
import { unavailable } from '../driver-errors.ts';
import type { Statement } from '../sql.ts';
import { Checkpoints } from './checkpoints.ts';
import { sqliteDialect } from './dialect.ts';
import { Handle } from './handle.ts';
import { LogFollower } from './log-follower.ts';
import { LogSize, logIsFull } from './log-size.ts';
import { inline, timed } from './meter.ts';
import { SqliteReader } from './reader.ts';
import { ScanPool } from './scan-pool.ts';
import { Writer } from './writer.ts';

/** Opens the database file at `path`; its directory must exist. @throws UnusableDatabase */
export function openSqlite(path: string, options: DatabaseOptions = {}): Database {
  const { cacheKib } = options;
  const openForWriting = () => Handle.open(path, 'writer', timed(options.queryTimeout), cacheKib);
  const writing = options.seldomWrites ? null : openForWriting();
  const reading = Handle.open(path, 'reader', inline(options.inlineRows), cacheKib);
  const scans = new ScanPool({ path, cacheKib }, options.queryTimeout);
  const reader = new SqliteReader(reading, scans);
  const follower = options.followLog ? new LogFollower(path, options.followLog) : null;
  const { mostLogBytes: most, logWarning: warning, onWarning } = options;
  const size = new LogSize({ most, warning, onWarning });
  const onSchemaChange = () => {
    reading.forgetStatements();
    scans.forgetStatements();
  };
  const open = (handle: Handle): OpenWriter => {
    const writer = new Writer(handle, {
      ...options,
      onSchemaChange,
      beforeCommit: () => reader.endSnapshot(),
      afterCommit: () => checkpoints.look(),
    });
    const checkpoints = new Checkpoints(handle, {
      dueBytes: options.checkpointBytes,
      onThread: (statement) => scans.all(statement),
      onFailure: (failure) => writer.fail(failure),
      onSize: (bytes, isKept) => size.note(bytes, isKept),
      follower,
    });
    return { handle, writer, checkpoints };
  };
  let closing: Promise<void> | null = null;
  let opened = writing && open(writing);
  function transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      if (opened === null && closing !== null) throw unavailable('The server is stopping');
      opened ??= open(openForWriting());
    } catch (error) {
      return Promise.reject(error);
    }
    if (!size.isFull) return opened.writer.submit(work);
    opened.checkpoints.retry();
    return Promise.reject(logIsFull());
  }
  return {
    dialect: sqliteDialect,
    reader,
    transaction,
    single: (query) => transaction((connection) => connection.all(query)),
    notices: null,
    replicas: null,
    indexBuilds: null,
    followedLog: follower,
    refresh(newSchema = false) {
      reader.endSnapshot();
      if (newSchema) onSchemaChange();
    },
    async ping() {
      if (opened?.writer.failure) throw opened.writer.failure;
      reading.get(PING);
    },
    close() {
      closing ??= Promise.all([opened?.writer.close(), scans.close(), follower?.close()]).then(() => {
        reader.close();
        // Closed last, because the last connection checkpoints the log into the database file.
        opened?.handle.close();
      });
      return closing;
    },
  };
}

/** The connection for writing, and the queue before it. */
interface OpenWriter {
  readonly handle: Handle;
  readonly writer: Writer;
  readonly checkpoints: Checkpoints;
}

const PING: Statement = { text: 'select 1', values: [] };
