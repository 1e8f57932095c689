import { LIMITS } from '../kernel/limits.ts';
import type { Observer } from '../kernel/observation.ts';

/**
 * Keeps this process from working with a database that needs newer code. Raised once, and never lowered: a restart
 * with the newer version replaces the process.
 */
export class Fence {
  readonly #known: number;
  readonly #observe: Observer;
  readonly #listeners: (() => void)[] = [];
  /** By `performance.now()`. */
  #raisedAt: number | null = null;

  /** `known`: the migration steps that this code knows. */
  constructor(known: number, observe: Observer) {
    this.#known = known;
    this.#observe = observe;
  }

  /** This process is too old: balancers should not send it requests, and it delivers nothing. */
  get isUp(): boolean {
    return this.#raisedAt !== null;
  }

  /** The grace is over in which balancers find out: changes are refused. */
  get isShut(): boolean {
    return this.#raisedAt !== null && performance.now() - this.#raisedAt >= LIMITS.fenceGrace;
  }

  /** Calls `listener` when the fence is raised; at once if it is up. */
  onRaised(listener: () => void): void {
    if (this.isUp) listener();
    else this.#listeners.push(listener);
  }

  /** Compares the steps that the database needs with those of this code. */
  compare(needs: number): void {
    if (this.isUp || needs <= this.#known) return;
    this.#raisedAt = performance.now();
    this.#observe({
      kind: 'warning',
      message: `A newer version has changed the database (it needs step ${needs}, this version knows ${this.#known}). This server is not ready any more and refuses changes. Replace it with the newer version`,
    });
    for (const listener of this.#listeners) listener();
  }
}
