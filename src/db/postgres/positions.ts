import type { Row } from '../database.ts';
import { covers, later, type Position, positionOf } from '../position.ts';
import type { Statement } from '../sql.ts';

/** So many marks are made in the time that a replica may be behind. */
const MARKS = 20;

/**
 * Asks for a position behind every commit that has been answered. A commit that waits for the disk has flushed the
 * log beyond itself. Without that wait its record may not be flushed yet, but it is inserted.
 */
const ASK: Statement = {
  text: `select (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn() end)::text as "lsn",
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as "timeline"`,
  values: [],
};

interface Mark {
  readonly position: Position;
  /** When it was asked for, by `performance.now()`: all changes before are in front of it. */
  readonly at: number;
}

/**
 * The positions of the primary that this process knows. Each is asked for after some commits: so it is not before
 * any of them.
 */
export class Positions {
  #latest: Position | null = null;
  /** The number of the question that gave `#latest`, and of the last question. */
  #number = 0;
  #asked = 0;
  /** When it was sent, by `performance.now()`. */
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Questions up to this number came before a commit whose own question failed. */
  #void = 0;
  readonly #marks: Mark[] = [];
  readonly #staleness: number;

  /** `staleness`: milliseconds that a replica may be behind. */
  constructor(staleness: number) {
    this.#staleness = staleness;
  }

  /** The number of questions so far. */
  get asked(): number {
    return this.#asked;
  }

  /** A position that was asked for after `number` questions, and behind all commits of this process; or null. */
  latestAfter(number: number): Position | null {
    return this.#number > number ? this.#latest : null;
  }

  /** Sends the question with `send`. Resolves to null, and never rejects, when there is no answer. */
  async ask(send: (question: Statement) => Promise<Row | undefined>): Promise<Position | null> {
    this.#asked += 1;
    const number = this.#asked;
    const at = performance.now();
    this.#askedAt = at;
    const row = await send(ASK).catch(() => undefined);
    if (!row) return null;
    const position = positionOf(Number.parseInt(String(row['timeline']), 16), String(row['lsn']));
    this.#mark(position, at);
    if (number <= this.#void) return position;
    const before = this.#latest;
    // An earlier question may be answered later, and be of a later commit.
    if (before === null) this.#latest = position;
    else this.#latest = number > this.#number ? later(position, before) : later(before, position);
    this.#number = Math.max(this.#number, number);
    return position;
  }

  /** A commit was made whose position is unknown: what was asked before tells nothing of it. */
  lose(): void {
    this.#void = this.#asked;
    this.#number = 0;
    this.#latest = null;
  }

  /** True when nothing has been asked for longer than `age` milliseconds. */
  isDue(age: number): boolean {
    return performance.now() - this.#askedAt > age;
  }

  /** True when a server at this position is behind by no more than it may be. */
  isFresh(at: Position): boolean {
    const oldest = performance.now() - this.#staleness;
    return this.#marks.some((mark) => mark.at >= oldest && covers(at, mark.position));
  }

  #mark(position: Position, at: number): void {
    const last = this.#marks.at(-1);
    // After a promotion, the former timeline is nobody's.
    if (last && last.position.timeline !== position.timeline && at > last.at) this.#marks.length = 0;
    else if (last && at < last.at + this.#staleness / MARKS) return;
    this.#marks.push({ position, at });
    if (this.#marks.length > MARKS + 1) this.#marks.shift();
  }
}
