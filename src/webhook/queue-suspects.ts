import { type Delivery, POISON } from './queue.ts';

/** Deliveries that were under way at one death at most, under way at a time. */
const TOGETHER = 16;
/** Deaths that one of them may have been beside at by chance. */
const CHANCE = 1;
/** One of more deaths is under way for so long before another begins, or until it is settled; milliseconds. */
const ALONE = 1_000;
/** A suspect that has to wait keeps others than suspects from beginning for so long: they must not take its turn for ever. */
const TURN = 2 * ALONE;
/** From so many deaths on it is never under way beside another like it. */
const APART = 3;

/** So long a process has to live without it before it is tried, by the deaths that it was under way at; milliseconds. */
export const CALM: readonly number[] = [0, 0, 0, 10_000, 30_000, 0];

/** The deaths of a delivery, should the process die while it is under way. */
export function deathsAfter({ suspect }: Delivery): number {
  return Math.min(POISON, Math.max(0, suspect) + 1);
}

/**
 * Which of the deliveries that a process takes care with may be under way together. Whatever is under way at a death comes under
 * suspicion, so those of more deaths than chance explains go one after another: the next death then tells them from those that were
 * only beside it.
 */
export class Suspects {
  readonly #underWay = new Map<number, { readonly delivery: Delivery; readonly since: number }>();
  #turnUntil = Number.NEGATIVE_INFINITY;

  /** Those that were admitted and have not ended. */
  get underWay(): readonly Delivery[] {
    return [...this.#underWay.values()].map(({ delivery }) => delivery);
  }

  /** True when the delivery may be begun now; then it is under way, until it `ended`. */
  admits(delivery: Delivery): boolean {
    if (this.#underWay.has(delivery.id)) return true;
    const now = performance.now();
    if (!(delivery.suspect > CHANCE ? this.#mayTryAlone(delivery, now) : this.#mayGoNow(now))) return false;
    this.#underWay.set(delivery.id, { delivery, since: now });
    return true;
  }

  ended(delivery: Delivery): void {
    this.#underWay.delete(delivery.id);
  }

  #mayTryAlone({ suspect }: Delivery, now: number): boolean {
    const others = [...this.#underWay.values()];
    if (suspect >= APART && others.some(({ delivery }) => delivery.suspect >= APART)) return false;
    const isAlone = others.every(({ since }) => now - since >= ALONE);
    this.#turnUntil = isAlone ? Number.NEGATIVE_INFINITY : now + TURN;
    return isAlone;
  }

  #mayGoNow(now: number): boolean {
    if (now < this.#turnUntil) return false;
    const young = [...this.#underWay.values()].filter(({ since }) => now - since < ALONE);
    return young.length < TOGETHER && young.every(({ delivery }) => delivery.suspect <= CHANCE);
  }
}
