import type { Delivery } from '../send/delivery.ts';
import { POISON } from './queue.ts';

/** Concurrent deliveries among those that were in flight at no more than `CHANCE` deaths. */
const TOGETHER = 16;
/** Deaths at which a delivery may have been in flight by chance. */
const CHANCE = 1;
/** A delivery with more deaths is alone in flight for this time, or until it is settled; milliseconds. */
const ALONE = 1_000;
/** While a suspect waits, unsuspected deliveries may not begin for this time, so that it gets its turn. */
const TURN = 2 * ALONE;
/** From this number of deaths on, two such deliveries are never in flight together. */
const APART = 3;

/**
 * How long a process must survive before it tries a suspect, by the suspect's number of deaths; milliseconds.
 */
export const CALM: readonly number[] = [0, 0, 0, 10_000, 30_000, 0];

/** The death count of a delivery if the process dies while it is in flight. */
export function deathsAfter({ suspect }: Delivery): number {
  return Math.min(POISON, Math.max(0, suspect) + 1);
}

/**
 * Decides which suspect deliveries may be in flight together. Each delivery in flight at a death becomes a
 * suspect. Those with more deaths than chance explains go one after another, so the next death shows which
 * one is the cause.
 */
export class Suspects {
  readonly #underWay = new Map<number, { readonly delivery: Delivery; readonly since: number }>();
  #turnUntil = Number.NEGATIVE_INFINITY;

  /** Deliveries admitted that have not ended. */
  get underWay(): readonly Delivery[] {
    return [...this.#underWay.values()].map(({ delivery }) => delivery);
  }

  /** True when the delivery may begin now; it is then in flight until it `ended`. */
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
