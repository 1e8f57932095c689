import type { DatabaseSync } from 'node:sqlite';
import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';
import { queryTimeout } from '../driver-errors.ts';
import { foldLong, likeMatcher } from '../like.ts';

/**
 * A read of this many rows takes some milliseconds; a longer one would delay every other request. The largest
 * page and the largest capped count fit, though rows are counted by samples.
 */
const INLINE_ROWS = 12_288;
/** The limit for text that `like` reads; characters. */
const INLINE_TEXT = 4 * 1024 * 1024;
/** The limit for slow rows, such as those with a search of child rows; milliseconds. */
const INLINE_MILLIS = 50;
/** A statement whose rows cannot be counted while it runs is not run here if it scans a larger table. */
const LARGE_TABLE = 50_000;
/** The same for a count of a whole table, which reads 150 rows in the time of one. */
const LARGE_COUNT = 1_000_000;
/** Skipping this many rows in an index takes at most as long as reading one. */
const SKIPPED = 16;
/**
 * One row in so many calls the meter: a call takes as long as reading a row from an index. The smaller one
 * notices slow rows sooner.
 */
const INLINE_SAMPLE = 11;
const TIMED_SAMPLE = 61;
/** A shape that read too much is not tried here again for this time; milliseconds. */
const LONG = 1_000;
/** The known size of a table is valid for this time; milliseconds. */
const SIZE_KNOWN = 5_000;
/** Compiled `like` patterns that are cached. */
const PATTERNS = 200;

const UNBOUNDED = Number.POSITIVE_INFINITY;
const NO_TEXT = { text: '', folded: '' };

/** Thrown when a read is longer than the event loop may wait. It has had no effect. */
export const TOO_LONG = new Error('the statement reads too much to be run here');

/** Decides whether a statement may run on the event loop. */
interface Cost {
  /** Its rows are counted while they are read. */
  readonly isMetered: boolean;
  /** For other statements: the tables that it may scan, and the most rows of each. */
  readonly tables: readonly string[];
  readonly most: number;
  /** Not on the event loop before this time of `performance.now()`. */
  longUntil: number;
}

/** A statement to be prepared. Cost null: it finds its rows by key and searches no texts. */
export interface Planned {
  readonly text: string;
  readonly cost: Cost | null;
}

/** What a statement may read before it fails. Without a limit of rows, there is no thread to move it to. */
export interface Allowance {
  readonly rows: number;
  /** One row in so many is counted, for all of them. */
  readonly sample: number;
  readonly text: number;
  readonly millis: number;
  readonly exceeded: () => Error;
}

/** For a connection on the event loop that can move a statement to a thread. */
export function inline(rows: number = INLINE_ROWS): Allowance {
  return { rows, sample: INLINE_SAMPLE, text: INLINE_TEXT, millis: INLINE_MILLIS, exceeded: () => TOO_LONG };
}

/** For a connection that cannot: a thread's, or a transaction's. It blocks, but not forever. */
export function timed(millis: number = LIMITS.queryTimeout): Allowance {
  return { rows: UNBOUNDED, sample: TIMED_SAMPLE, text: UNBOUNDED, millis, exceeded: queryTimeout };
}

/**
 * Limits the work of a statement on this connection. The driver cannot interrupt a statement, but SQLite
 * calls our functions for each row and each long text, and they can throw. On a worker thread, ending the
 * thread does the same.
 */
export class Meter {
  readonly #db: DatabaseSync;
  readonly #allowance: Allowance;
  readonly #sizes = new Map<string, { readonly rows: number; readonly until: number }>();
  readonly #matchers = new Recent<ReturnType<typeof likeMatcher>>(PATTERNS);
  #rows = UNBOUNDED;
  #text = UNBOUNDED;
  #until = UNBOUNDED;
  /** The last folded text: conditions on one field fold the same text again and again. */
  #last = NO_TEXT;

  constructor(db: DatabaseSync, allowance: Allowance) {
    this.#db = db;
    this.#allowance = allowance;
    db.function('tick', { deterministic: false }, (rows) => {
      this.#read(Number(rows));
      return 1;
    });
    db.function('skipped', { deterministic: false }, (rows) => {
      this.#read(Number(rows) / SKIPPED);
      return rows;
    });
    db.function('fold_like', { deterministic: true }, (text, pattern) =>
      text === null ? null : Number(this.#isLike(String(text), String(pattern))),
    );
  }

  plan(text: string): Planned {
    const searches = text.includes('fold_like(');
    const counting = { isMetered: true, tables: [], most: 0, longUntil: 0 };
    if (!/^\s*(?:select|with)\b/i.test(text)) return { text, cost: searches ? counting : null };
    const counted = this.#metered(text);
    if (this.#allowance.rows === UNBOUNDED) {
      return { text: counted ?? text, cost: counted !== null || searches ? counting : null };
    }
    const steps = explain(this.#db, text);
    if (counted !== null) {
      if (steps.every(isByKey) && !searches) return { text, cost: null };
      return { text: counted, cost: counting };
    }
    if (!steps.some((step) => step.startsWith('SCAN ')) || endsEarly(text, steps)) {
      return { text, cost: searches ? counting : null };
    }
    const tables = [...text.matchAll(/\b(?:from|join) "((?:[^"]|"")*)"/gi)].map(([, name = '']) => name);
    const most = COUNT_OF_ALL.test(text) ? LARGE_COUNT : LARGE_TABLE;
    return {
      text,
      cost: tables.length > 0 || searches ? { ...counting, isMetered: false, tables, most } : null,
    };
  }

  /** Runs a statement within its allowance. @throws the error of the allowance */
  within<T>(cost: Cost, run: () => T): T {
    const { rows, text, millis } = this.#allowance;
    const now = performance.now();
    // A refusal is not another long read and must not postpone the next try.
    if (cost.longUntil > now) throw TOO_LONG;
    this.#rows = rows;
    this.#text = text;
    this.#until = now + millis;
    if (!cost.isMetered && cost.tables.some((table) => this.#sizeOf(table) > cost.most)) throw TOO_LONG;
    try {
      return run();
    } catch (error) {
      // Not for its duration: another process may have caused the delay.
      if (error === TOO_LONG && (this.#rows < 0 || this.#text < 0)) {
        cost.longUntil = performance.now() + LONG;
      }
      throw error;
    } finally {
      this.#last = NO_TEXT;
    }
  }

  /**
   * The same statement with a call of the meter for rows of its listed table (`_t`) and of the tables beside it.
   * SQLite flattens it into one query with the same plan. Null for statements of another form, and for the
   * count of a whole table, which SQLite takes from an index's pages.
   */
  #metered(text: string): string | null {
    if (text.search(LISTED) < 0 || COUNT_OF_ALL.test(text)) return null;
    const { sample } = this.#allowance;
    const [before = '', page, after = ''] = farPage(text) ?? [];
    if (page && explain(this.#db, page).every((step) => / COVERING INDEX /.test(step))) {
      const start = page.slice(0, -SKIP.length);
      return `${withTicks(before, sample)}${start}skipped(${SKIP})${withTicks(after, sample)}`;
    }
    const sampled = withTicks(text, sample);
    return this.#isValid(sampled) ? sampled : withTicks(text, 1);
  }

  // The rows of a view have no number to sample them by.
  #isValid(text: string): boolean {
    try {
      this.#db.prepare(text);
      return true;
    } catch {
      return false;
    }
  }

  #read(rows: number): void {
    this.#rows -= rows;
    if (this.#rows < 0) throw this.#allowance.exceeded();
    this.#look();
  }

  readonly #look = () => {
    if (performance.now() > this.#until) throw this.#allowance.exceeded();
  };

  #isLike(text: string, pattern: string): boolean {
    this.#text -= text.length;
    if (this.#text < 0) throw this.#allowance.exceeded();
    this.#look();
    let matches = this.#matchers.get(pattern);
    if (!matches) {
      matches = likeMatcher(pattern);
      this.#matchers.set(pattern, matches);
    }
    if (text !== this.#last.text) this.#last = { text, folded: foldLong(text, this.#look) };
    return matches(this.#last.folded, this.#look);
  }

  // The largest rowid: an upper bound of the number of rows.
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

const LISTED = / from ("(?:[^"]|"")*") as "_t"/g;
/** Child rows and linked documents that a list's conditions read. */
const BESIDE = / as ("_[cjl]")\s+(?:where|on)\b/g;
const COUNT_OF_ALL = /^select count\(\*\) as "\w+" from "(?:[^"]|"")*" as "_t"$/;
/** The names of a page far down a list begin and end like this. */
const NAMES = 'select "_t"."name" from ';
const SKIP = '? + 0';
const WITHOUT_CONDITIONS = /^"(?:[^"]|"")*" as "_t" order by /;

/** The text before the names of a page far down a list without conditions, their statement, and the rest. */
function farPage(text: string): [before: string, page: string, after: string] | null {
  const found = text.indexOf(` in (${NAMES}`);
  const offset = text.indexOf(` offset ${SKIP})`, found);
  if (found === -1 || offset === -1) return null;
  const start = found + ' in ('.length;
  if (!WITHOUT_CONDITIONS.test(text.slice(start + NAMES.length))) return null;
  const end = text.indexOf(')', offset);
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

function withTicks(text: string, sample: number): string {
  // Multiplied and shifted, so that no regular distance between rows leaves all of them out.
  const drawn = (of: string) => `((${of}"_rowid_" & 2147483647) * 2654435761 >> 16) % ${sample}`;
  const tick = (of: string) => (sample === 1 ? 'tick(1)' : `(${drawn(of)} or tick(${sample}))`);
  return text
    .replace(LISTED, (_, table) => ` from (select * from ${table} where ${tick('')}) as "_t"`)
    .replace(BESIDE, (found, alias) => `${found} ${tick(`${alias}.`)} and`);
}

/** The steps of the query plan: `SEARCH _t USING INDEX i (status=?)`. */
function explain(db: DatabaseSync, text: string): string[] {
  return db
    .prepare(`explain query plan ${text}`)
    .all()
    .map((row) => String(row['detail']))
    .filter((step) => /^(?:SCAN|SEARCH|USE TEMP)/.test(step) && !NO_TABLE.test(step));
}

/** Constants, results of other steps, and bound lists. */
const NO_TABLE = /^SCAN (?:CONSTANT|\(|rows$|json_each\b)/;

function isByKey(step: string): boolean {
  return /^SEARCH .* INDEX sqlite_autoindex_.*_1 \(\w+=\?\)$/.test(step);
}

function endsEarly(text: string, steps: readonly string[]): boolean {
  const ordered = steps.every((step) => !step.startsWith('USE TEMP') && / INDEX /.test(step));
  return ordered && /\blimit\b/i.test(text);
}
