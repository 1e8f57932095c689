import type { Counter } from '../database.ts';
import type { Statement } from '../sql.ts';

/** Numbers that a transaction has taken of a counter and not given to a unit: all from `next` to `last`. */
interface Taken {
  readonly counter: Counter;
  readonly next: number;
  readonly last: number;
}

/**
 * The numbers that a transaction has taken for units that will share it. Nobody else counts meanwhile, because the
 * row of the counter is locked.
 */
export class Numbers {
  #taken: ReadonlyMap<string, Taken> = new Map();

  /** The next number; null when none is left. */
  give(turn: string): number | null {
    const taken = this.#taken.get(turn);
    if (!taken || taken.next > taken.last) return null;
    this.#put({ ...taken, next: taken.next + 1 });
    return taken.next;
  }

  /** The transaction has taken these numbers of a counter, of which none was left. */
  put(counter: Counter, next: number, last: number): void {
    this.#put({ counter, next, last });
  }

  /** The statements that return what is left: of one counter, or of all. Then nothing is left. */
  giveBack(turn?: string): readonly Statement[] {
    const given = [...this.#taken.values()].filter(
      ({ counter, next, last }) => next <= last && (turn === undefined || counter.turn === turn),
    );
    for (const taken of given) this.#put({ ...taken, last: taken.next - 1 });
    return given.map(({ counter, next, last }) => counter.add(next - last - 1));
  }

  /** What a part of the transaction is undone to: it gives back the numbers of that part, and takes those it took. */
  mark(): () => void {
    const taken = this.#taken;
    return () => {
      this.#taken = taken;
    };
  }

  #put(taken: Taken): void {
    this.#taken = new Map(this.#taken).set(taken.counter.turn, taken);
  }
}
