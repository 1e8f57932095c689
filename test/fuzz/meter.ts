import { BUDGET, confirmed, isOver, type Spent, spending } from './budget.ts';
import { Lanes } from './lanes.ts';
import { type FuzzRequest, shownRequest } from './requests.ts';
import type { Sender } from './send.ts';
import { Watchdog } from './watchdog.ts';

/** Milliseconds of CPU from which on a request may be one of the slow ones. */
const NOTED = 100;

/** Measures what requests take while several run at a time. */
export class Meter {
  /** What the requests took that may be slow. */
  readonly spent: Spent[] = [];
  readonly #sender: Sender;
  readonly #watchdog = new Watchdog();
  readonly #lanes = new Lanes();

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Does what sends the request. What took much CPU beside others is then sent again without them, to know
   * whose it was.
   * @returns what is wrong with it; null when it keeps the budget
   */
  async measure(request: FuzzRequest, work: () => Promise<unknown>): Promise<string | null> {
    const name = shownRequest(request, '');
    const { cpu: beside } = await this.#lanes.beside(() => this.#watchdog.during(name, () => spending(work)));
    if (beside < NOTED) return null;
    const alone = await this.#lanes.alone(() =>
      confirmed(() => this.#watchdog.during(name, () => this.#sender.send(request))),
    );
    this.spent.push({ request: name, beside, alone });
    if (!isOver([beside, ...alone])) return null;
    const each = alone.map((cpu) => Math.round(cpu)).join(', ');
    return shownRequest(request, `takes ${each} ms of CPU, more than ${BUDGET}`);
  }

  stop(): Promise<void> {
    return this.#watchdog.stop();
  }
}
