import { Recent } from '../db/recent.ts';
import { LIMITS } from '../kernel/limits.ts';

const MINUTE = 60_000;
const TEN_MINUTES = 10 * MINUTE;
/** Between two deliveries about a document that changes again and again, and about one that still does; milliseconds. */
const COALESCED = 10_000;
const HELD = TEN_MINUTES;

/** What becomes of the next delivery of a webhook about a document. */
export interface Throttle {
  /** Until it is sent, milliseconds; what waits for that takes the place of what waited. */
  readonly delay: number;
  /** This is where it began: somebody should know. */
  readonly tripped: 'coalesced' | 'held' | null;
}

/** What happened of late to one document for one webhook; milliseconds since the epoch. */
interface Tally {
  minute: number;
  changes: number;
  tenMinutes: number;
  sent: number;
  /** When the delivery that waits is sent. */
  due: number;
  state: 'free' | 'coalesced' | 'held';
}

/**
 * Ends circles of deliveries and the changes that receivers make of them, where receivers do not pass on how long the chain is:
 * more than `limit` changes of one document in a minute have only the newest delivered, every ten seconds; more than ten
 * times as many deliveries in ten minutes every ten minutes. Each process counts for itself.
 */
export class LoopFuse {
  readonly #limit: number;
  // A Map that drops its oldest key for each new one looks past all that were dropped before.
  readonly #records = new Recent<Tally>(LIMITS.watchedForLoops / 2);

  /** `limit` 0: nothing is held up. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Null for a delivery that may go at once. Counts nothing. */
  check(key: string, now: number): Throttle | null {
    const record = this.#records.get(key);
    if (!record) return null;
    const state = this.#stateOf(record, now);
    if (state === 'free') return null;
    const wait = state === 'held' ? HELD : COALESCED;
    // A clock that was put back must not hold it up for longer than promised.
    const isWaiting = record.due > now && record.due <= now + HELD;
    const tripped = state === record.state || record.state === 'held' ? null : state;
    return { delay: isWaiting ? record.due - now : wait, tripped };
  }

  /** The change was committed, with what `check` said of its delivery. */
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
    // Those that wait for the same moment become one.
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
