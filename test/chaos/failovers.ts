import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { Planned } from './faults.ts';
import type { Member, Patroni } from './patroni.ts';
import { type ChaosNode, KEY, type World } from './world.ts';

/** The doctype of the documents that tell whether a node writes. */
export const PROBE = 'Probe';
/** Milliseconds between two looks at a node. */
const PACE = 20;

/** The loss of a primary. */
export interface Failover {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds until another member accepted writes. */
  readonly promoted: number;
  /** Milliseconds from then on until every node wrote, and said that it is ready. */
  readonly healed: number;
}

type Lose = (world: World, patroni: Patroni, planned: Planned) => Promise<string>;

/** Faults of the servers under Patroni. */
export const FAILOVERS: Readonly<Record<string, Lose>> = {
  'lose the primary': (world, patroni, { length }) =>
    failOver(world, patroni, {
      lose: (primary) => primary.lose(),
      async bringBack(primary) {
        await pause(length * 3_000);
        await primary.start();
      },
    }),
  'lose a primary that lags': (world, patroni, { length }) =>
    failOver(world, patroni, {
      async prepare(primary) {
        await primary.fallSilent();
        await pause(length * 1_000);
      },
      lose: (primary) => primary.lose(),
      bringBack: (primary) => primary.start(),
    }),
  'crash the primary': (world, patroni) => failOver(world, patroni, { lose: (primary) => primary.crash() }),
  'freeze the primary': (world, patroni) =>
    failOver(world, patroni, {
      lose: (primary) => primary.signal('SIGSTOP'),
      bringBack: (primary) => primary.signal('SIGCONT'),
    }),
  'switch over': (world, patroni) => failOver(world, patroni, { lose: () => patroni.switchOver() }),
  async 'freeze etcd'(_, patroni, { length }) {
    const millis = Math.round(1_000 + length * 9_000);
    await patroni.etcd.signal('SIGSTOP');
    await pause(millis);
    await patroni.etcd.signal('SIGCONT');
    await patroni.settled();
    return `for ${millis} ms; ${(await patroni.primary()).name} is the primary`;
  },
};

interface Loss {
  prepare?(primary: Member): Promise<void>;
  lose(primary: Member): Promise<void>;
  bringBack?(primary: Member): Promise<void>;
}

async function failOver(world: World, patroni: Patroni, { prepare, lose, bringBack }: Loss): Promise<string> {
  const former = await patroni.primary();
  await prepare?.(former);
  const watches = world.nodes.map((node) => new Watch(node));
  const [at, began] = [Date.now(), performance.now()];
  const promotion = patroni.primary(former).then((member) => ({ next: member, accepts: performance.now() }));
  const [{ next, accepts }] = await Promise.all([promotion, lose(former)]);
  await until(() => watches.every((watch) => watch.healed(accepts) !== null));
  const healed = watches.map((watch) => Math.round(watch.healed(accepts) ?? 0));
  const promoted = Math.round(accepts - began);
  await bringBack?.(former);
  await patroni.settled();
  await Promise.all(watches.map((watch) => watch.stop()));
  world.failovers.push({ at, promoted, healed: Math.max(...healed) });
  const ready = watches.map((watch) => watch.readiness(began, accepts)).join(', ');
  const wrote = `the nodes wrote ${healed.join(', ')} ms later`;
  return `${former.name} → ${next.name} after ${promoted} ms; ${wrote}; /ready meanwhile: ${ready}`;
}

interface Look {
  readonly begun: number;
  readonly ended: number;
  readonly status: number;
}

/** Asks a node again and again whether it is ready, and lets it write. */
class Watch {
  readonly #ready: Look[] = [];
  readonly #writes: Look[] = [];
  readonly #looking: Promise<unknown>;
  #isOver = false;

  constructor({ server }: ChaosNode) {
    const write = {
      method: 'POST',
      headers: { authorization: `token ${KEY}`, 'content-type': 'application/json' },
      body: '{}',
    };
    this.#looking = Promise.all([
      this.#look(this.#ready, `${server.url}/ready`),
      this.#look(this.#writes, `${server.url}/api/resource/${PROBE}`, write),
    ]);
  }

  /** Milliseconds from this moment on until the node wrote and was ready; null: it has not. */
  healed(since: number): number | null {
    const [ready, wrote] = [this.#ready, this.#writes].map((looks) =>
      looks.find(({ ended, status }) => ended >= since && status === 200),
    );
    return ready && wrote ? Math.max(ready.ended, wrote.ended) - since : null;
  }

  /** What the node said in between. */
  readiness(from: number, to: number): string {
    const asked = this.#ready.filter(({ begun, ended }) => begun >= from && ended <= to);
    const first = asked.findIndex(({ status }) => status !== 200);
    if (first < 0) return 'always 200';
    const wrong = asked.slice(first).filter(({ status }) => status !== 503).length;
    const begun = Math.round((asked[first]?.begun ?? 0) - from);
    return `503 after ${begun} ms${wrong > 0 ? `, and then ${wrong} of ${asked.length - first} others` : ''}`;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#looking;
  }

  async #look(looks: Look[], url: string, init: RequestInit = {}): Promise<void> {
    for (; !this.#isOver; await pause(PACE)) {
      const begun = performance.now();
      const status = await fetch(url, init).then(
        async (reply) => (await reply.text()) && reply.status,
        () => 0,
      );
      looks.push({ begun, ended: performance.now(), status: Number(status) });
    }
  }
}
