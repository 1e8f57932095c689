import { judge, Outstanding, type Verdict } from './ledger.ts';
import { Receiver } from './receiver.ts';
import type { OpenSender, Sender, SenderNode } from './sender.ts';

/** What a trial is given. */
export interface Bench {
  readonly open: OpenSender;
  /** How hard: kills, endpoints, changes; each trial has a scale of its own. */
  readonly size: number;
  /** How long a receiver is waited for before what is missing counts as lost, milliseconds. Default: five minutes. */
  readonly patience?: number;
  /** Figures that are no verdict: `p99`, `12.5 ms`. */
  note(what: string, value: string): void;
}

/** A trial resolves when the sender stood it, and rejects with what it did wrong. */
export interface Trial {
  readonly name: string;
  readonly about: string;
  /** `size` when nothing else is asked for. */
  readonly size: number;
  /** Only for senders of which several processes can serve one site. */
  readonly needsNodes?: boolean;
  run(bench: Bench): Promise<void>;
}

const PATIENCE = 300_000;

/** A sender with receivers, opened for one trial. */
export class Arena {
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly #patience: number;

  static async with(
    { open, patience = PATIENCE }: Bench,
    origins: number,
    work: (arena: Arena) => Promise<void>,
  ): Promise<void> {
    const receiver = await Receiver.start(origins);
    try {
      const sender = await open();
      try {
        await work(new Arena(sender, receiver, patience));
      } finally {
        await sender.close();
      }
    } finally {
      await receiver.close();
    }
  }

  private constructor(sender: Sender, receiver: Receiver, patience: number) {
    this.#patience = patience;
    this.sender = sender;
    this.receiver = receiver;
  }

  subscribe(node: SenderNode, topic: string, endpoints: readonly string[], timeout = 1): Promise<void> {
    const urls = endpoints.map((endpoint) => this.receiver.url(endpoint));
    return this.sender.subscribe(node, topic, urls, { timeout });
  }

  /** Waits until every endpoint has accepted every stored change of the topic, and judges. Throws what is wrong. */
  async settle(
    node: SenderNode,
    topic: string,
    endpoints: readonly string[],
    acknowledged: ReadonlyMap<string, number> = new Map(),
  ): Promise<Verdict> {
    const stored = await node.stored(topic);
    for (const [name, step] of acknowledged) {
      if ((stored.get(name) ?? -1) < step)
        throw new Error(`${name} step ${step} was acknowledged, and is gone`);
    }
    const { arrivals } = this.receiver;
    const outstanding = new Outstanding(this.sender, stored, endpoints, arrivals);
    await this.receiver.until(() => outstanding.count === 0, this.#patience);
    const verdict = judge(this.sender, stored, endpoints, arrivals);
    for (const fault of ['lost', 'ghosts', 'inversions', 'altered'] as const) {
      const found = verdict[fault];
      if (found.length > 0) {
        throw new Error(`${found.length} ${fault}: ${found.slice(0, 5).join('; ')}`);
      }
    }
    return verdict;
  }

  /** Resolves when the sender has nothing left to do. */
  async idle(node: SenderNode): Promise<void> {
    await eventually(async () => (await node.waiting()) === 0, 'the sender never has done with it');
  }
}

/** Asks again until the answer is yes. */
export async function eventually(done: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const until = performance.now() + PATIENCE; !(await done()); ) {
    if (performance.now() > until) throw new Error(otherwise);
    await sleep(20);
  }
}

/** Milliseconds. */
export function sleep(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
