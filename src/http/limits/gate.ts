import { ServiceError } from '../../kernel/errors.ts';
import { Pace } from './pace.ts';

/** The number of concurrent callers, and the wait of the others. */
export interface GateLimits {
  /** Concurrent requests. */
  readonly atOnce: number;
  /** Milliseconds that a request waits for its turn. */
  readonly patience: number;
}

interface Waiter {
  readonly caller: string;
  readonly admit: () => void;
}

/** Waiting requests per slot, at most. */
const WAITING_FOR_ONE = 4;

/**
 * Admits a fixed number of concurrent requests, at most half of them from one caller. The others queue in
 * order, for a bounded time. The queue is bounded too, and one caller gets half of it.
 */
export class Gate {
  readonly #limits: GateLimits;
  readonly #share: number;
  readonly #waiting = new Set<Waiter>();
  readonly #inside = new Map<string, number>();
  readonly #outside = new Map<string, number>();
  readonly #pace = new Pace();
  #count = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
    this.#share = Math.ceil(limits.atOnce / 2);
  }

  /** Returns true when the caller is admitted; each entry needs its `leave`. */
  enter(caller: string): boolean {
    if (this.#count >= this.#limits.atOnce) return false;
    if (this.#hasShare(caller)) return false;
    this.#count += 1;
    this.#inside.set(caller, (this.#inside.get(caller) ?? 0) + 1);
    return true;
  }

  /**
   * Resolves once the caller, whom `enter` refused, is admitted. Rejects with ServiceUnavailableError (503)
   * at once when the queue is full or too long for the patience, or after the patience.
   */
  wait(caller: string): Promise<void> {
    const mine = this.#outside.get(caller) ?? 0;
    const { atOnce, patience } = this.#limits;
    const waiting = this.#waiting.size;
    const isFull = waiting >= atOnce * WAITING_FOR_ONE || mine >= this.#share * WAITING_FOR_ONE;
    if (isFull || !this.#pace.isHopeful(this.#ahead(caller), patience)) return Promise.reject(BUSY);
    if (waiting === 0) this.#pace.start();
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        subtract(this.#outside, caller);
      };
      const waiter = {
        caller,
        admit: () => {
          stopWaiting();
          resolve();
        },
      };
      const timer = setTimeout(() => {
        stopWaiting();
        reject(BUSY);
      }, patience);
      this.#waiting.add(waiter);
      this.#outside.set(caller, mine + 1);
    });
  }

  /** Admits the longest-waiting caller that now has a free slot. */
  leave(caller: string): void {
    this.#count -= 1;
    subtract(this.#inside, caller);
    for (const waiter of this.#waiting) {
      if (!this.enter(waiter.caller)) continue;
      waiter.admit();
      this.#pace.note(1);
      return;
    }
  }

  #hasShare(caller: string): boolean {
    return (this.#inside.get(caller) ?? 0) >= this.#share;
  }

  /** Requests that are admitted before a new one of this caller. Callers with a full share overtake nobody. */
  #ahead(caller: string): number {
    if (this.#hasShare(caller)) return this.#outside.get(caller) ?? 0;
    let ahead = 0;
    for (const [other, count] of this.#outside) if (count > 0 && !this.#hasShare(other)) ahead += count;
    return ahead;
  }
}

/** Idle callers that stay in the map. Removing and adding an entry costs more than keeping it. */
const IDLE = 1_000;

function subtract(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left === 0 && counts.size > IDLE) counts.delete(key);
  else counts.set(key, left);
}

/** The refusal of a request that has not begun. One object for all: a stack for each would cost more than its reply. */
export const BUSY = Object.freeze(
  new ServiceError('ServiceUnavailableError', 'The server is busy; try again in a moment', {
    headers: { 'retry-after': '1' },
  }),
);
