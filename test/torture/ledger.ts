import type { Arrival } from './receiver.ts';
import type { Change, Sender } from './sender.ts';

/** What is held against a sender. Each entry says what happened; all but `duplicates` and `echoes` must be empty. */
export interface Verdict {
  /** Changes that were stored, and that a receiver never accepted. */
  readonly lost: readonly string[];
  /** Changes that a receiver was told of, and that were never stored. */
  readonly ghosts: readonly string[];
  /** Changes that a receiver was told of before it had accepted the one before of the same document. */
  readonly inversions: readonly string[];
  /** The same delivery with other bytes, or the same change under another name. */
  readonly altered: readonly string[];
  /** Changes that a receiver accepted again: allowed. */
  readonly duplicates: number;
  /**
   * Of those, the ones that came after a later change of the document was accepted: a process that was taken
   * for dead, and was not.
   */
  readonly echoes: number;
}

/** Compares what was stored with what each endpoint was told. */
export function judge(
  sender: Pick<Sender, 'read'>,
  stored: ReadonlyMap<string, number>,
  endpoints: readonly string[],
  arrivals: readonly Arrival[],
): Verdict {
  const lost: string[] = [];
  const ghosts: string[] = [];
  const inversions: string[] = [];
  const altered: string[] = [];
  let [duplicates, echoes] = [0, 0];
  const byEndpoint = Map.groupBy(arrivals, ({ endpoint }) => endpoint);
  for (const endpoint of endpoints) {
    const bytes = new Map<string, string>();
    const ids = new Map<string, string>();
    const accepted = new Map<string, Accepted[]>();
    for (const arrival of byEndpoint.get(endpoint) ?? []) {
      const { id, change } = sender.read(arrival.headers, arrival.body);
      const what = `${endpoint} ${change.name} step ${change.step}`;
      if (change.step > (stored.get(change.name) ?? -1)) ghosts.push(what);
      const text = arrival.body.toString('latin1');
      if ((bytes.get(id) ?? text) !== text) altered.push(`${what}: other bytes`);
      bytes.set(id, text);
      const key = keyOf(change);
      if ((ids.get(key) ?? id) !== id) altered.push(`${what}: ${ids.get(key)} became ${id}`);
      ids.set(key, id);
      const before = accepted.get(change.name) ?? [];
      const had = (step: number) => before.some((one) => one.step === step && one.at <= arrival.at);
      if (change.step > 0 && !had(change.step - 1)) inversions.push(what);
      if (had(change.step)) {
        duplicates += 1;
        if (had(change.step + 1)) echoes += 1;
      }
      if (arrival.acceptedAt === null) continue;
      accepted.set(change.name, [...before, { step: change.step, at: arrival.acceptedAt }]);
    }
    for (const [name, last] of stored) {
      const steps = new Set(accepted.get(name)?.map(({ step }) => step));
      for (let step = 0; step <= last; step += 1) {
        if (!steps.has(step)) lost.push(`${endpoint} ${name} step ${step}`);
      }
    }
  }
  return { lost, ghosts, inversions, altered, duplicates, echoes };
}

interface Accepted {
  readonly step: number;
  readonly at: number;
}

/** Tells, request by request, how many changes an endpoint has still to accept. */
export class Outstanding {
  readonly #sender: Pick<Sender, 'read'>;
  readonly #stored: ReadonlyMap<string, number>;
  readonly #missing: Map<string, Set<string>>;
  readonly #arrivals: readonly Arrival[];
  /** Those not accepted when last looked at. */
  #open: Arrival[] = [];
  #seen = 0;
  #left: number;

  constructor(
    sender: Pick<Sender, 'read'>,
    stored: ReadonlyMap<string, number>,
    endpoints: readonly string[],
    arrivals: readonly Arrival[],
  ) {
    this.#sender = sender;
    this.#stored = stored;
    this.#arrivals = arrivals;
    const all = this.#all();
    this.#missing = new Map(endpoints.map((endpoint) => [endpoint, new Set(all)]));
    this.#left = all.length * this.#missing.size;
  }

  get count(): number {
    this.#open.push(...this.#arrivals.slice(this.#seen));
    this.#seen = this.#arrivals.length;
    this.#open = this.#open.filter((arrival) => {
      if (arrival.acceptedAt === null) return true;
      const { change } = this.#sender.read(arrival.headers, arrival.body);
      if (this.#missing.get(arrival.endpoint)?.delete(keyOf(change))) this.#left -= 1;
      return false;
    });
    return this.#left;
  }

  #all(): string[] {
    return [...this.#stored].flatMap(([name, last]) =>
      Array.from({ length: last + 1 }, (_, step) => keyOf({ name, step })),
    );
  }
}

function keyOf({ name, step }: Change): string {
  return `${name}#${step}`;
}
