import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import type { FieldValue } from '../../kernel/value.ts';
import type { Row } from '../database.ts';
import type { SqlValue, Statement } from '../sql.ts';
import { UnusableDatabase } from '../unusable.ts';
import { type Allowance, Meter, type Planned } from './meter.ts';
import { realText } from './real-text.ts';
import { whyUnusable } from './why-unusable.ts';

/** Prepared statements kept per connection: preparing one costs three times as much as running it by key. */
const STATEMENTS = 256;
/** The write-ahead log is truncated to this size after a checkpoint; bytes. */
const LOG_BYTES = 64 * 1024 * 1024;
/** The most memory for pages of the database, of one connection; KiB. */
export const CACHE_KIB = 32 * 1024;
/** Older versions can corrupt a log when it is reset during a read. */
const OLDEST = [3, 51, 3];

interface Prepared {
  readonly text: string;
  statement: StatementSync;
  readonly columns: readonly string[];
  readonly cost: Planned['cost'];
}

type Role = 'writer' | 'reader';

/**
 * One SQLite connection with its prepared statements. All methods are synchronous and throw the driver's
 * errors.
 */
export class Handle {
  readonly #db: DatabaseSync;
  readonly #meter: Meter;
  readonly #prepared = new Recent<Prepared>(STATEMENTS);
  /** Set when a statement that changes the schema was prepared; the owner clears it. */
  schemaChanged = false;

  private constructor(db: DatabaseSync, meter: Meter) {
    this.#db = db;
    this.#meter = meter;
  }

  /**
   * Opens `path`, creates the file if `role` is 'writer', and sets the options that durability depends on. A
   * statement that exceeds its allowance throws the allowance's error.
   * @throws UnusableDatabase
   */
  static open(path: string, role: Role, allowance: Allowance, cacheKib = CACHE_KIB): Handle {
    try {
      const db = new DatabaseSync(path, { timeout: 5_000, enableForeignKeyConstraints: true });
      try {
        configure(db, role, cacheKib);
      } catch (error) {
        db.close();
        throw error;
      }
      const handle = new Handle(db, new Meter(db, allowance));
      if (role === 'writer') handle.forgetStatistics();
      return handle;
    } catch (error) {
      throw new UnusableDatabase(`cannot open the SQLite database ${path}: ${whyUnusable(error)}`, {
        cause: error,
      });
    }
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** `most`: the most bytes in the texts of all rows. */
  all(statement: Statement, most?: number): Row[] {
    const prepared = this.#prepare(statement.text);
    const values = statement.values as SqlValue[];
    if (most !== undefined) return this.#within(prepared, () => this.#bounded(prepared, values, most));
    const rows = this.#within(prepared, () => prepared.statement.all(...values)) as unknown as FieldValue[][];
    return rows.map((row) => toRow(prepared.columns, row));
  }

  get(statement: Statement): Row | undefined {
    const prepared = this.#prepare(statement.text);
    const values = statement.values as SqlValue[];
    const row = this.#within(prepared, () => prepared.statement.get(...values)) as FieldValue[] | undefined;
    return row && toRow(prepared.columns, row);
  }

  run(statement: Statement): number {
    const prepared = this.#prepare(statement.text);
    const values = statement.values as SqlValue[];
    return Number(this.#within(prepared, () => prepared.statement.run(...values)).changes);
  }

  /** Runs constant text without values. */
  exec(text: string): void {
    this.#prepare(text).statement.run();
  }

  /** Prepares statements again after a schema change, so that `select *` includes the new columns. */
  forgetStatements(): void {
    this.#prepared.clear();
    // A connection notices another connection's change when it runs a statement, not when it prepares one.
    try {
      this.#db.prepare('select 1 from sqlite_schema limit 1').get();
    } catch {
      // The statement that needs the schema will report the error.
    }
  }

  /**
   * Deletes the statistics of ANALYZE. One that ran when a table had two rows would make SQLite scan it when it
   * has a million. A connection reads them with the schema, so that this belongs before every change of it. It
   * also creates the empty table of the statistics: creating it changes the schema, and ANALYZE does that
   * otherwise.
   */
  forgetStatistics(): void {
    const table = { text: `select 1 from sqlite_schema where name = 'sqlite_stat1'`, values: [] };
    // Looks first: another process may hold the lock for writing.
    if (!this.get(table)) this.exec('analyze sqlite_schema');
    if (!this.get({ text: 'select 1 from sqlite_stat1', values: [] })) return;
    this.exec('delete from sqlite_stat1');
    this.exec('analyze sqlite_schema');
  }

  close(): void {
    this.#db.close();
  }

  #within<T>({ cost }: Prepared, read: () => T): T {
    return cost ? this.#meter.within(cost, read) : read();
  }

  // Half as fast as fetching all rows at once, but it can stop early.
  #bounded(prepared: Prepared, values: SqlValue[], most: number): Row[] {
    const rows: Row[] = [];
    let left = most;
    const found = prepared.statement.iterate(...values) as Iterable<unknown> as Iterable<FieldValue[]>;
    try {
      for (const row of found) {
        for (const value of row) if (typeof value === 'string') left -= value.length;
        if (left < 0) throw TooLarge.answer(most);
        rows.push(toRow(prepared.columns, row));
      }
      return rows;
    } catch (error) {
      // After a statement fails between rows, the driver reports the error again on its next run.
      if (!(error instanceof TooLarge)) prepared.statement = this.#compile(prepared.text);
      throw error;
    }
  }

  #compile(text: string): StatementSync {
    const statement = this.#db.prepare(text);
    // Arrays, because the driver's row objects have no prototype and are slower to make.
    statement.setReturnArrays(true);
    return statement;
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known) return known;
    const { text: planned, cost } = this.#meter.plan(text);
    const statement = this.#compile(planned);
    const columns = statement.columns().map((column) => column.name);
    const prepared = { text: planned, statement, columns, cost };
    if (/^\s*(create|alter|drop)\b/i.test(text)) {
      this.schemaChanged = true;
      this.#prepared.clear();
    } else this.#prepared.set(text, prepared);
    return prepared;
  }
}

function toRow(columns: readonly string[], values: readonly FieldValue[]): Row {
  const row: Row = {};
  for (let index = 0; index < columns.length; index += 1) {
    row[columns[index] as string] = values[index] as FieldValue;
  }
  return row;
}

function configure(db: DatabaseSync, role: Role, cacheKib: number): void {
  const [version] = Object.values(db.prepare('select sqlite_version()').get() ?? {});
  const numbers = String(version).split('.').map(Number);
  const behind = OLDEST.findIndex((least, place) => numbers[place] !== least);
  if (behind >= 0 && (numbers[behind] ?? 0) < (OLDEST[behind] ?? 0)) {
    throw new Error(`SQLite ${version} is too old; ${OLDEST.join('.')} or later is needed`);
  }
  db.enableDefensive(true);
  // For a text that JavaScript cannot hold, the driver returns nothing, as if the row were missing.
  db.limits.length = LIMITS.stringLength;
  const settings: Record<string, string | number> = {
    journal_mode: 'wal',
    // FULL (2): a commit is on the disk before it is acknowledged. Some builds default to less.
    synchronous: 2,
    foreign_keys: 1,
    trusted_schema: 0,
    journal_size_limit: LOG_BYTES,
    // `Checkpoints` does it, off the path of requests.
    wal_autocheckpoint: 0,
    temp_store: 2,
    // Negative for KiB.
    cache_size: -cacheKib,
    // The writer waits for another process's lock without blocking the event loop (see Writer).
    busy_timeout: role === 'writer' ? 20 : 5_000,
    query_only: role === 'writer' ? 0 : 1,
  };
  for (const [name, wanted] of Object.entries(settings)) {
    db.exec(`pragma ${name} = ${wanted}`);
    const [is] = Object.values(db.prepare(`pragma ${name}`).get() ?? {});
    if (is !== wanted) throw new Error(`pragma ${name} is ${is}, not ${wanted}`);
  }
  // Deterministic: the same number gives the same text, so SQLite may evaluate a constant once.
  db.function('real_text', { deterministic: true }, (value) =>
    value === null ? null : realText(Number(value)),
  );
}
