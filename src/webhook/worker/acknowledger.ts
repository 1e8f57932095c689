import { type DeliveryQueue, NotOwner, type Settlement } from '../queue/queue.ts';

/** The largest batch of outcomes, and how long the first waits for others; milliseconds. */
const BATCH = 256;
const GATHER = 4;
/**
 * Under load, recording takes at most about a third of the time; the first outcome waits no longer than this.
 */
const LONGEST_GATHER = 16;
const MANY = 16;
/** Milliseconds after a failure. */
const PAUSE = 1_000;

interface Reports {
  /** These were recorded or rejected, and these webhooks got due deliveries. */
  settled(settlements: readonly Settlement[], due: readonly string[]): void;
  failed(error: unknown): void;
}

/** Records outcomes, many per commit. Keeps those that cannot be recorded, and retries. */
export class Acknowledger {
  readonly #queue: DeliveryQueue;
  readonly #reports: Reports;
  #waiting: Settlement[] = [];
  #size = BATCH;
  #gather = GATHER;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<boolean> | null = null;
  #underWay = 0;

  constructor(queue: DeliveryQueue, reports: Reports) {
    this.#queue = queue;
    this.#reports = reports;
  }

  /** Outcomes not recorded yet. */
  get size(): number {
    return this.#waiting.length + this.#underWay;
  }

  add(settlement: Settlement): void {
    this.#waiting.push(settlement);
    if (this.#running) return;
    if (this.#waiting.length >= this.#size) void this.#record();
    else this.#timer ??= setTimeout(() => void this.#record(), this.#gather);
  }

  /** Resolves when all are recorded, or when recording failed. */
  async flush(): Promise<void> {
    while (this.size > 0) if (!(await this.#record())) return;
  }

  /** Resolves to false on failure. */
  #record(): Promise<boolean> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running ??= this.#recordBatch().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #recordBatch(): Promise<boolean> {
    const batch = this.#waiting.splice(0, this.#size);
    this.#underWay = batch.length;
    let well = false;
    const begun = performance.now();
    try {
      const due = await this.#queue.settle(batch);
      well = true;
      this.#size = BATCH;
      const wanted = batch.length < MANY ? 0 : 2 * (performance.now() - begun);
      this.#gather = Math.min(LONGEST_GATHER, Math.max(GATHER, wanted));
      this.#underWay = 0;
      this.#reports.settled(batch, due);
    } catch (error) {
      this.#underWay = 0;
      this.#keep(batch, error);
      this.#reports.failed(error);
    }
    if (this.#waiting.length > 0) {
      const delay = !well ? PAUSE : this.#waiting.length >= this.#size ? 0 : this.#gather;
      this.#timer ??= setTimeout(() => void this.#record(), delay);
    }
    return well;
  }

  // If one of the outcomes cannot be stored, smaller batches find it; it is then stored without its response,
  // after the others.
  #keep(batch: readonly Settlement[], error: unknown): void {
    if (error instanceof NotOwner) return;
    const [first, ...others] = batch;
    if (first && others.length === 0) {
      this.#waiting.push({ ...first, outcome: { ...first.outcome, response: null } });
      return;
    }
    this.#waiting.unshift(...batch);
    this.#size = Math.max(1, Math.ceil(this.#size / 4));
  }
}
