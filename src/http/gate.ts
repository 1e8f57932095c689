import { ServiceError } from '../kernel/errors.ts';

/** How many may pass, and how long the others wait. */
export interface GateLimits {
  /** Requests at the same time. */
  readonly atOnce: number;
  /** Milliseconds that a request waits for its turn. */
  readonly patience: number;
}

interface Waiter {
  readonly caller: string;
  readonly admit: () => void;
}

/** For each that is let in, how many wait at most. */
const WAITING_FOR_ONE = 4;

/**
 * Lets so many requests in at the same time, and none of one caller beyond half of them. The others wait, in order, for a
 * bounded time and in bounded number, of which again one caller has half.
 */
export class Gate {
  readonly #limits: GateLimits;
  readonly #share: number;
  readonly #waiting = new Set<Waiter>();
  readonly #inside = new Map<string, number>();
  readonly #outside = new Map<string, number>();
  #count = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
    this.#share = Math.ceil(limits.atOnce / 2);
  }

  /** True when the caller is in; each entry needs its `leave`. */
  enter(caller: string): boolean {
    if (this.#count >= this.#limits.atOnce) return false;
    const mine = this.#inside.get(caller) ?? 0;
    if (mine >= this.#share) return false;
    this.#count += 1;
    this.#inside.set(caller, mine + 1);
    return true;
  }

  /** Resolves when the caller, whom `enter` refused, is in. Rejects with ServiceUnavailableError (503) when that takes too long. */
  wait(caller: string): Promise<void> {
    const mine = this.#outside.get(caller) ?? 0;
    const places = this.#limits.atOnce * WAITING_FOR_ONE;
    if (this.#waiting.size >= places || mine >= this.#share * WAITING_FOR_ONE) return Promise.reject(busy());
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
        reject(busy());
      }, this.#limits.patience);
      this.#waiting.add(waiter);
      this.#outside.set(caller, mine + 1);
    });
  }

  /** Who has waited longest of those that may come in does. */
  leave(caller: string): void {
    this.#count -= 1;
    subtract(this.#inside, caller);
    for (const waiter of this.#waiting) {
      if (!this.enter(waiter.caller)) continue;
      waiter.admit();
      return;
    }
  }
}

function subtract(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left === 0) counts.delete(key);
  else counts.set(key, left);
}

/** What a request is told that was not begun. */
export function busy(): ServiceError {
  return new ServiceError('ServiceUnavailableError', 'The server is busy; try again in a moment', {
    headers: { 'retry-after': '1' },
  });
}
