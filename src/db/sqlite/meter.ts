import type { DatabaseSync } from 'node:sqlite';

/** Rows of the listed table between two looks at the meter, on average. A power of two: see `metered`. */
const STEP = 64;
/** A read of this many rows takes some milliseconds; a longer one would keep every other request waiting. */
const INLINE_ROWS = 8_192;
/** The same for rows that each take long, such as those whose child rows are looked through; milliseconds. */
const INLINE_MILLIS = 50;
/** Where rows cannot be counted while they are read, a table of more rows is not read through here. */
const LARGE_TABLE = 50_000;
/** A shape that read too much is not tried here again for a while; milliseconds. */
const LONG = 1_000;
/** The size of a table is looked at again after this time; milliseconds. */
const SIZE_KNOWN = 5_000;

/** Thrown where a read turns out to be longer than the event loop may wait. Nothing came of it. */
export const TOO_LONG = new Error('the statement reads too much to be run here');

/** What decides whether a statement may run here. */
interface Cost {
  /** Its rows are counted while they are read. */
  readonly isMetered: boolean;
  /** Otherwise: the tables that it may read from end to end. */
  readonly tables: readonly string[];
  /** Not here before this moment of `performance.now()`. */
  longUntil: number;
}

/** A statement as it is to be prepared. Cost null: it finds its rows by key. */
export interface Planned {
  readonly text: string;
  readonly cost: Cost | null;
}

/**
 * Bounds how many rows a statement reads on this connection. The driver cannot interrupt a statement, but SQLite calls functions of ours
 * while it reads, and those can refuse to go on (or the end of a worker thread does it for them).
 */
export class Meter {
  readonly #db: DatabaseSync;
  readonly #steps: number;
  readonly #sizes = new Map<string, { readonly rows: number; readonly until: number }>();
  #left: number;
  #until = Number.POSITIVE_INFINITY;

  /** `rows`: what a statement may read, 8,192 by default; Infinity only lets it be ended. */
  constructor(db: DatabaseSync, rows: number = INLINE_ROWS) {
    this.#db = db;
    this.#steps = Math.ceil(rows / STEP);
    this.#left = this.#steps;
    db.function('tick', { deterministic: false }, () => {
      this.#left -= 1;
      if (this.#left < 0 || performance.now() > this.#until) throw TOO_LONG;
      return 1;
    });
  }

  plan(text: string): Planned {
    if (!/^\s*(?:select|with)\b/i.test(text)) return { text, cost: null };
    const counted = metered(text, (table) => this.#rowNumber(table));
    // Elsewhere there is nobody to hand it on to.
    if (this.#steps === Number.POSITIVE_INFINITY) return { text: counted ?? text, cost: null };
    const steps = explain(this.#db, text);
    if (counted !== null) {
      if (steps.every(isByKey)) return { text, cost: null };
      return { text: counted, cost: { isMetered: true, tables: [], longUntil: 0 } };
    }
    if (!steps.some((step) => step.startsWith('SCAN ')) || endsEarly(text, steps))
      return { text, cost: null };
    const tables = [...text.matchAll(/\b(?:from|join) "((?:[^"]|"")*)"/gi)].map(([, name = '']) => name);
    return { text, cost: tables.length > 0 ? { isMetered: false, tables, longUntil: 0 } : null };
  }

  /** Before each run. @throws TOO_LONG */
  begin(cost: Cost): void {
    const now = performance.now();
    if (cost.longUntil > now) throw TOO_LONG;
    this.#left = this.#steps;
    this.#until = now + INLINE_MILLIS;
    if (!cost.isMetered && cost.tables.some((table) => this.#sizeOf(table) > LARGE_TABLE)) throw TOO_LONG;
  }

  /** What a run threw. */
  failed(cost: Cost, error: unknown): void {
    // Not for the time it took: that may have been some other process's.
    if (error === TOO_LONG && this.#left < 0) cost.longUntil = performance.now() + LONG;
  }

  // A view has no numbers of rows: there chance says when to look.
  #rowNumber(table: string): string {
    try {
      this.#db.prepare(`select "rowid" from ${table}`);
      return '"rowid"';
    } catch {
      return 'random()';
    }
  }

  // The largest rowid: at least as many rows were there once.
  #sizeOf(table: string): number {
    const now = performance.now();
    const known = this.#sizes.get(table);
    if (known && known.until > now) return known.rows;
    let rows = 0;
    try {
      const found = this.#db.prepare(`select max("rowid") as "last" from "${table}"`).get();
      rows = Number(found?.['last'] ?? 0);
    } catch {
      // A view, or a name of the statement's own, has no rowid.
    }
    this.#sizes.set(table, { rows, until: now + SIZE_KNOWN });
    return rows;
  }
}

const LISTED = / from ("(?:[^"]|"")*") as "_t"/;
const COUNT_OF_ALL = /^select count\(\*\) as "\w+" from "(?:[^"]|"")*" as "_t"$/;

/**
 * The same statement, looking at the meter once every 64 rows of the table that it lists (`_t`); SQLite makes one query of it, with the
 * same plan. Null for statements of another form, and for the count of a whole table, which SQLite takes from an index's pages.
 */
function metered(text: string, rowNumber: (table: string) => string): string | null {
  if (!LISTED.test(text) || COUNT_OF_ALL.test(text)) return null;
  return text.replace(
    LISTED,
    (_, table) => ` from (select * from ${table} where ${rowNumber(table)} & ${STEP - 1} or tick()) as "_t"`,
  );
}

/** The steps of the plan in SQLite's words: `SEARCH _t USING INDEX i (status=?)`. */
function explain(db: DatabaseSync, text: string): string[] {
  return db
    .prepare(`explain query plan ${text}`)
    .all()
    .map((row) => String(row['detail']))
    .filter((step) => /^(?:SCAN|SEARCH|USE TEMP)/.test(step) && !NO_TABLE.test(step));
}

/** Constants, what was read by other steps, and lists that a statement is given. */
const NO_TABLE = /^SCAN (?:CONSTANT|\(|rows$|json_each\b)/;

function isByKey(step: string): boolean {
  return /^SEARCH .* INDEX sqlite_autoindex_.*_1 \(\w+=\?\)$/.test(step);
}

function endsEarly(text: string, steps: readonly string[]): boolean {
  const ordered = steps.every((step) => !step.startsWith('USE TEMP') && / INDEX /.test(step));
  return ordered && /\blimit\b/i.test(text);
}
