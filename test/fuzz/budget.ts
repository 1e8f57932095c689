/** CPU that one request may take, milliseconds, of all threads of the process. */
export const BUDGET = 250;

/** A request that took more than the budget is sent so often again, alone: it is over only if it is each time. */
const AGAIN = 3;

/** What a request took while others ran, and when it was sent again alone. */
export interface Spent {
  readonly request: string;
  /** Milliseconds of CPU of the whole process meanwhile: at least the request's own. */
  readonly beside: number;
  /** Milliseconds of CPU, each time that it was sent alone; empty when it never was. */
  readonly alone: readonly number[];
}

/**
 * Does it and says how many milliseconds of CPU the process took meanwhile. CPU and not time: other programs
 * run beside.
 */
export async function spending<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly cpu: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: (user + system) / 1_000 };
}

/** Sends a request again, alone, until it keeps the budget. */
export async function confirmed(send: () => Promise<unknown>): Promise<readonly number[]> {
  const alone: number[] = [];
  while (alone.length < AGAIN && isOver(alone)) {
    const { cpu } = await spending(() => send().catch(() => undefined));
    alone.push(cpu);
  }
  return alone;
}

/** True when none of the times kept the budget; for no times as well. */
export function isOver(alone: readonly number[]): boolean {
  return alone.every((cpu) => cpu > BUDGET);
}

/** The requests that took most. */
export class Slowest {
  readonly #most: number;
  #kept: Spent[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  note(spent: Spent): void {
    this.#kept.push(spent);
    if (this.#kept.length >= 2 * this.#most) this.#kept = this.list() as Spent[];
  }

  /** Most first: by what was measured alone where it was. */
  list(): readonly Spent[] {
    return this.#kept.toSorted((a, b) => least(b) - least(a)).slice(0, this.#most);
  }
}

function least({ alone, beside }: Spent): number {
  return Math.min(beside, ...alone);
}
