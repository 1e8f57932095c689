/** A text about the place of a change in the database's log; in requests and in replies to changes. */
const HEADER = 'x-chancery-position';

/** What arrived of a reply. */
interface Answer {
  readonly status: number;
  header(name: string): string | null;
}

/** A request and its reply. */
interface Exchange {
  readonly headers: Readonly<Record<string, string>>;
  /** Null: there was no reply. */
  answered(answer: Answer | null): void;
}

/**
 * The changes that a caller knows of: its own, and those of others that it was told of. A read replica answers only
 * when it has them all.
 */
export class Positions {
  readonly #keeps: boolean;
  /** Of the caller's own changes. */
  #newest: string | null = null;
  /** Changes of others that the caller was told of, and how many of them one of its own came after. */
  #told = 0;
  #covered = 0;

  /** `keeps`: the caller sends the newest position itself. False where a cookie does that. */
  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  /** Others changed something. A replica may not have it yet, so the primary answers from now on. */
  noteNews(): void {
    this.#told += 1;
  }

  begin(method: string): Exchange {
    const before = this.#told;
    return {
      headers: this.#headers(),
      answered: (answer) => {
        if (method !== 'GET') this.#changed(answer, before);
      },
    };
  }

  #headers(): Readonly<Record<string, string>> {
    if (this.#told > this.#covered) return { [HEADER]: 'primary' };
    return this.#newest === null ? {} : { [HEADER]: this.#newest };
  }

  #changed(answer: Answer | null, before: number): void {
    const position = answer && answer.status < 500 ? answer.header(HEADER) : '';
    // It read, or there are no replicas.
    if (position === null) return;
    // It may have been made, nobody knows where: like a change of others.
    if (position === '') {
      this.noteNews();
      return;
    }
    if (this.#keeps && (this.#newest === null || isLater(position, this.#newest))) this.#newest = position;
    this.#covered = Math.max(this.#covered, before);
  }
}

/** Replies to requests that were under way together arrive in any order. */
function isLater(one: string, other: string): boolean {
  const [timeline = '', place = ''] = one.split('-');
  const [otherTimeline = '', otherPlace = ''] = other.split('-');
  return timeline === otherTimeline ? exceeds(place, otherPlace) : exceeds(timeline, otherTimeline);
}

/** Compares hexadecimal numbers without leading zeros. */
function exceeds(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}
