import { ServiceError } from '../kernel/errors.ts';
import { OutOfSpace } from '../kernel/out-of-space.ts';
import { TooLarge } from '../kernel/too-large.ts';
import { DamagedDatabase } from './damaged.ts';

/** A unique value exists already. `column` lets a caller name the field by its label. */
export class UniqueViolation extends ServiceError {
  readonly table: string;
  readonly column: string;

  constructor(table: string, column: string, isPrimaryKey: boolean) {
    if (isPrimaryKey) super('DuplicateEntryError', 'This name is already taken', { title: 'Duplicate Name' });
    else super('UniqueValidationError', `${column} must be unique`);
    this.table = table;
    this.column = column;
  }
}

/** The disk failed during a statement of SQLite: the content of the file is unknown from now on. */
export class StorageFailure extends ServiceError {
  constructor(cause: unknown) {
    super(
      'ServiceUnavailableError',
      'The disk of the server failed; changes are refused until the server restarts',
      {
        headers: { 'Retry-After': '60' },
      },
    );
    this.cause = cause;
  }
}

/** The database is unavailable; a retry may succeed. */
export function unavailable(message = 'The database is busy, please try again'): ServiceError {
  return new ServiceError('ServiceUnavailableError', message, { headers: { 'Retry-After': '1' } });
}

/**
 * Nobody can find out whether a change was committed. No `Retry-After`: who sends the request again may do the
 * change twice.
 */
export class OutcomeUnknown extends ServiceError {
  constructor(cause: unknown, why = 'The database did not answer the commit of this change') {
    super('OutcomeUnknownError', `${why}: it may be stored or not. Look before you send it again`);
    this.cause = cause;
  }
}

/** A read exceeded its timeout. */
export function queryTimeout(): ServiceError {
  return new ServiceError(
    'QueryTimeoutError',
    'The query took too long. Narrow it by a filter on an indexed field, or ask for fewer rows',
  );
}

/**
 * Translates a driver's error into one for the caller, or for the operator (DamagedDatabase). Returns any
 * other error unchanged: a bug, 500.
 */
export function databaseError(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (error instanceof StalePlan) return databaseError(error.cause);
  if ('errcode' in error && typeof error.errcode === 'number') {
    return sqliteError(error, error.errcode) ?? error;
  }
  return postgresError(error) ?? error;
}

// Result codes of SQLite. The low byte is the primary code; the other bytes refine it.
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_TOOBIG = 18;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const SQLITE_CONSTRAINT_DATATYPE = 3091;
const SQLITE_NOTADB = 26;
const SQLITE_IOERR = 10;
// Memory and lock failures with the same primary code: nothing was written yet.
const PASSING_IOERRS: ReadonlySet<number> = new Set([
  ...[2058, 2314, 2826, 3594, 3850], // UNLOCK, RDLOCK, BLOCKED, CHECKRESERVEDLOCK, LOCK
  ...[3082, 4618, 4874, 5130, 5386], // NOMEM, SHMOPEN, SHMSIZE, SHMLOCK, SHMMAP
]);

/** True when another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    ((error.errcode & 0xff) === SQLITE_BUSY || (error.errcode & 0xff) === SQLITE_LOCKED)
  );
}

function sqliteError(error: Error, code: number): Error | null {
  switch (code) {
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE: {
      // "UNIQUE constraint failed: Sales Invoice.name"
      const where = /: (.*)$/s.exec(error.message)?.[1]?.split(', ')[0] ?? '';
      const dot = where.lastIndexOf('.');
      return new UniqueViolation(
        where.slice(0, dot),
        where.slice(dot + 1),
        code === SQLITE_CONSTRAINT_PRIMARYKEY,
      );
    }
    case SQLITE_CONSTRAINT_DATATYPE:
      return new ServiceError('DataError', 'A value does not fit its field');
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return unavailable();
    case SQLITE_FULL:
      return new OutOfSpace('database', error);
    case SQLITE_IOERR:
      return PASSING_IOERRS.has(code)
        ? unavailable('The database cannot be used now')
        : new StorageFailure(error);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return new DamagedDatabase(error);
    case SQLITE_TOOBIG:
      return TooLarge.answer();
  }
  return null;
}

interface PostgresFields {
  readonly code: string;
  readonly table: string;
  readonly constraint: string;
  readonly detail: string;
}

function postgresFields(error: Error): PostgresFields {
  const from = error as Error & Partial<Record<keyof PostgresFields, unknown>>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    code: text(from.code),
    table: text(from.table),
    constraint: text(from.constraint),
    detail: text(from.detail),
  };
}

/** A serialization failure or a deadlock: a retry of the transaction may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = postgresFields(error);
  return code === '40001' || code === '40P01';
}

/** PostgreSQL cancelled the statement because of `statement_timeout`. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && postgresFields(error).code === '57014';
}

/** A prepared statement no longer fits the columns: to be sent again over another connection. */
export function isStalePlan(error: unknown): boolean {
  if (error instanceof StalePlan) return true;
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}

/** The types of a prepared statement's values no longer fit: they were those of the columns then. */
class StalePlan extends Error {}

const MISFITS: ReadonlySet<unknown> = new Set(['42804', '42883', '22P02']);

/** The error of a prepared statement. PostgreSQL does not say whether the columns have changed since. */
export function preparedError(error: unknown): unknown {
  return isMisfit(error) ? new StalePlan(error.message, { cause: error }) : error;
}

/** The types of a statement's values do not fit the columns. */
export function isMisfit(error: unknown): error is Error {
  return error instanceof Error && MISFITS.has(postgresFields(error).code);
}

/** A statement names a missing table or column. */
export function isMissingRelation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = postgresFields(error);
  if (code === '42P01' || code === '42703') return true;
  return (
    'errcode' in error &&
    error.errcode === 1 &&
    /^(?:no such (?:table|column)|table .* has no column)/.test(error.message)
  );
}

/** The server accepts no changes: a standby, or a former primary. Its SQLSTATE is 25006. */
export class ReadOnlyServer extends Error {
  readonly code = READ_ONLY;
}

const READ_ONLY = '25006';

/** PostgreSQL refused a change because the server accepts none. */
export function isReadOnlyServer(error: unknown): error is Error {
  return error instanceof Error && postgresFields(error).code === READ_ONLY;
}

const LOST_CODES = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENOENT',
  ],
  // Shutdown, crash, startup; too many connections; a transaction that idled too long.
  READ_ONLY,
  ...['57P01', '57P02', '57P03', '57P05', '53300', '25P03', '25P04'],
]);
const LOST_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after)/;

/** The connection broke or failed, and no answer came. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = postgresFields(error);
  if (code.startsWith('08') || LOST_CODES.has(code) || LOST_MESSAGE.test(error.message)) return true;
  return error instanceof AggregateError && error.errors.some(isConnectionLoss);
}

function postgresError(error: Error): Error | null {
  const { code, table, constraint, detail } = postgresFields(error);
  // data_corrupted, index_corrupted.
  if (code === 'XX001' || code === 'XX002') return new DamagedDatabase(error);
  if (code === '23505') {
    // "Key (email)=(a@b) already exists.": the message is translated, but the parentheses stay.
    const column = /^[^(]*\(([^()]*)\)=\(/.exec(detail)?.[1]?.split(', ')[0]?.replaceAll('"', '') ?? '';
    return new UniqueViolation(table, column, constraint.endsWith('_pkey'));
  }
  // 57014: cancelled by statement_timeout; 55P03: lock_timeout.
  if (code === '57014' || code === '55P03' || isSerializationFailure(error)) return unavailable();
  if (code === 'CHTRG') {
    const reason = `An index for like needs the extension pg_trgm of PostgreSQL, which cannot be created (${error.message}). A superuser can run: create extension pg_trgm`;
    return new ServiceError('ValidationError', reason);
  }
  if (code === '53100') return new OutOfSpace('database', error);
  // PostgreSQL limits the size of a row, however short each value is, and of a text that it builds.
  if (code === '54000') return new TooLarge('The values of this document are too large in total');
  if (code === 'ERR_STRING_TOO_LONG') return TooLarge.answer();
  if (/^22...$/.test(code)) return new ServiceError('DataError', 'A value does not fit its field');
  return isConnectionLoss(error) ? unavailable('The database cannot be reached now') : null;
}
