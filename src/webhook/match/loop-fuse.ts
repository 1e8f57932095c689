import { LIMITS } from '../../kernel/limits.ts';
import { Recent } from '../../kernel/recent.ts';

const MINUTE = 60_000;
const TEN_MINUTES = 10 * MINUTE;
/**
 * Milliseconds between two deliveries about a document that changes again and again, and about one that does
 * not stop.
 */
const COALESCED = 10_000;
const HELD = TEN_MINUTES;

/** How the next delivery of a webhook about a document is limited. */
export interface Throttle {
  /** Milliseconds until it is sent. A newer delivery replaces it while it waits. */
  readonly delay: number;
  /** The limit was reached just now: notify somebody. */
  readonly tripped: 'coalesced' | 'held' | null;
}

/** The recent changes of one document for one webhook; milliseconds since the epoch. */
interface Tally {
  minute: number;
  changes: number;
  tenMinutes: number;
  sent: number;
  /** When the waiting delivery is sent. */
  due: number;
  state: 'free' | 'coalesced' | 'held';
}

/**
 * Limits loops of deliveries and changes whose receivers do not pass on the chain. After more than `limit`
 * changes of a document in a minute, only the newest is delivered, every ten seconds. After more than ten
 * times as many deliveries in ten minutes, it is delivered every ten minutes. Each process counts for itself.
 */
export class LoopFuse {
  readonly #limit: number;
  // Not a Map that drops its oldest key: finding that key would skip over all those dropped before.
  readonly #records = new Recent<Tally>(LIMITS.watchedForLoops / 2);

  /** `limit` 0: no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Null when a delivery may go at once. Counts nothing. */
  check(key: string, now: number): Throttle | null {
    const record = this.#records.get(key);
    if (!record) return null;
    const state = this.#stateOf(record, now);
    if (state === 'free') return null;
    const wait = state === 'held' ? HELD : COALESCED;
    // If the clock is set back, the wait must not become longer than promised.
    const isWaiting = record.due > now && record.due <= now + HELD;
    const tripped = state === record.state || record.state === 'held' ? null : state;
    return { delay: isWaiting ? record.due - now : wait, tripped };
  }

  /** Counts a committed change, with the result of `check` for its delivery. */
  count(key: string, now: number, throttle: Throttle | null): void {
    if (this.#limit === 0) return;
    let record = this.#records.get(key);
    if (!record) {
      record = { minute: now, changes: 0, tenMinutes: now, sent: 0, due: 0, state: 'free' };
      this.#records.set(key, record);
    }
    if (!isWithin(record.minute, now, MINUTE)) [record.minute, record.changes] = [now, 0];
    if (!isWithin(record.tenMinutes, now, TEN_MINUTES)) [record.tenMinutes, record.sent] = [now, 0];
    record.changes += 1;
    if (throttle === null) record.state = 'free';
    else if (throttle.tripped !== null) record.state = throttle.tripped;
    // Deliveries that wait for the same moment are merged.
    const due = now + (throttle?.delay ?? 0);
    if (throttle !== null && record.due > now) return;
    record.sent += 1;
    record.due = due;
  }

  #stateOf(record: Tally, now: number): Tally['state'] {
    if (isWithin(record.tenMinutes, now, TEN_MINUTES) && record.sent >= 10 * this.#limit) return 'held';
    return isWithin(record.minute, now, MINUTE) && record.changes >= this.#limit ? 'coalesced' : 'free';
  }
}

function isWithin(start: number, now: number, length: number): boolean {
  return now >= start && now - start < length;
}
