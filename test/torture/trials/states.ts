import { hang, status } from '../behaviours.ts';
import { isCut } from '../load.ts';
import { accept, type Behaviour } from '../receiver.ts';
import type { SenderNode } from '../sender.ts';
import { Arena, sleep, type Trial } from '../trial.ts';

const TOPIC = 'Torture States';
const ENDPOINT = '/0/hook';

/** What was acknowledged: the last step of each document. */
type Acknowledged = ReadonlyMap<string, number>;

interface Moment {
  readonly name: string;
  /**
   * Brings the sender to that state with documents of this prefix, and kills it there. Resolves to what was
   * acknowledged.
   */
  kill(arena: Arena, node: SenderNode, prefix: string): Promise<Acknowledged>;
}

/** A process killed once in each state that a delivery can be in. */
export const states: Trial = {
  name: 'states',
  about: 'SIGKILL in each state of a delivery and of the process',
  size: 1,
  async run(bench) {
    const { size, note } = bench;
    await Arena.with(bench, 1, async (arena) => {
      const { sender, receiver } = arena;
      let node = await sender.start();
      await arena.subscribe(node, TOPIC, [ENDPOINT], 10);
      for (let round = 0; round < size; round += 1) {
        for (const [index, { name, kill }] of MOMENTS.entries()) {
          receiver.decide = () => accept;
          const acknowledged = await kill(arena, node, `r${round}-${index}`);
          receiver.decide = () => accept;
          receiver.breakOff();
          node = await sender.start();
          const { echoes } = await arena
            .settle(node, TOPIC, [ENDPOINT], acknowledged)
            .catch((error: unknown) => {
              throw new Error(`killed ${name}: ${error instanceof Error ? error.message : error}`);
            });
          if (echoes > 0) throw new Error(`killed ${name}: a change came again after a later one`);
        }
      }
      note('states', MOMENTS.map(({ name }) => name).join('; '));
    });
  },
};

const MOMENTS: readonly Moment[] = [
  {
    name: 'with attempts on their way and others waiting for them',
    async kill({ receiver }, node, prefix) {
      const before = receiver.arrivals.length;
      receiver.decide = () => hang;
      const acknowledged = await saveMany(node, prefix, 40, 2);
      await receiver.until(() => receiver.arrivals.length > before, 60_000);
      await node.signal('SIGKILL');
      return acknowledged;
    },
  },
  {
    name: 'as the commit was acknowledged',
    async kill(_arena, node, prefix) {
      await node.save(TOPIC, { name: prefix, step: 0 });
      await node.signal('SIGKILL');
      return new Map([[prefix, 0]]);
    },
  },
  {
    name: 'as the receiver accepts',
    kill: (arena, node, prefix) => whenAsked(arena, node, prefix, accept),
  },
  {
    name: 'amid the response',
    kill: (arena, node, prefix) =>
      whenAsked(arena, node, prefix, (response) => {
        response.writeHead(200, { 'content-length': '10' });
        response.write('half');
      }),
  },
  {
    name: 'as the receiver refuses',
    kill: (arena, node, prefix) => whenAsked(arena, node, prefix, status(500)),
  },
  {
    name: 'waiting for another attempt',
    async kill({ receiver }, node, prefix) {
      const before = receiver.arrivals.length;
      receiver.decide = () => status(500);
      await node.save(TOPIC, { name: prefix, step: 0 });
      await receiver.until(() => receiver.arrivals.length > before, 60_000);
      // What the sender wrote down of that is what is under test; a moment is enough for most.
      await sleep(10);
      await node.signal('SIGKILL');
      return new Map([[prefix, 0]]);
    },
  },
  {
    name: 'with all said and done',
    async kill(arena, node, prefix) {
      const acknowledged = await saveMany(node, prefix, 5, 3);
      await arena.settle(node, TOPIC, [ENDPOINT]);
      await arena.idle(node);
      const before = arena.receiver.arrivals.length;
      await node.signal('SIGKILL');
      const next = await arena.sender.start();
      await arena.idle(next);
      if (arena.receiver.arrivals.length > before)
        throw new Error('what was recorded as delivered came again');
      await next.signal('SIGKILL');
      return acknowledged;
    },
  },
  {
    name: 'while it starts',
    async kill({ receiver, sender }, node, prefix) {
      receiver.decide = () => status(500);
      const acknowledged = await saveMany(node, prefix, 10, 1);
      await node.signal('SIGKILL');
      receiver.decide = () => hang;
      const before = receiver.arrivals.length;
      const next = await sender.start();
      await receiver.until(() => receiver.arrivals.length > before, 60_000);
      await next.signal('SIGKILL');
      return acknowledged;
    },
  },
  {
    name: 'while it stops',
    async kill({ receiver }, node, prefix) {
      const before = receiver.arrivals.length;
      receiver.decide = () => hang;
      const acknowledged = await saveMany(node, prefix, 10, 2);
      await receiver.until(() => receiver.arrivals.length > before, 60_000);
      const stopped = node.signal('SIGTERM');
      await sleep(100);
      await node.signal('SIGKILL');
      await stopped;
      return acknowledged;
    },
  },
  {
    name: 'never: it stopped in order',
    async kill({ receiver }, node, prefix) {
      const before = receiver.arrivals.length;
      const answers: (() => void)[] = [];
      receiver.decide = () => (response, socket, arrival) =>
        void answers.push(() => accept(response, socket, arrival));
      const acknowledged = await saveMany(node, prefix, 10, 2);
      await receiver.until(() => receiver.arrivals.length > before, 60_000);
      const stopped = node.signal('SIGTERM');
      await sleep(100);
      for (const answer of answers) answer();
      await stopped;
      return acknowledged;
    },
  },
];

/** Kills the process as the receiver has just behaved like that. */
async function whenAsked(
  { receiver }: Arena,
  node: SenderNode,
  prefix: string,
  behaviour: Behaviour,
): Promise<Acknowledged> {
  const killed = new Promise<void>((resolve) => {
    receiver.decide = () => (response, socket, arrival) => {
      behaviour(response, socket, arrival);
      // A turn of the event loop later the bytes are on their way.
      setImmediate(() => resolve(node.signal('SIGKILL')));
    };
  });
  const acknowledged = new Map<string, number>();
  try {
    for (let step = 0; step < 2; step += 1) {
      await node.save(TOPIC, { name: prefix, step });
      acknowledged.set(prefix, step);
    }
  } catch (error) {
    // The receiver may be asked before the answer to what it is asked about is out.
    if (!isCut(error)) throw error;
  }
  await killed;
  return acknowledged;
}

async function saveMany(
  node: SenderNode,
  prefix: string,
  documents: number,
  steps: number,
): Promise<Acknowledged> {
  const acknowledged = new Map<string, number>();
  for (let document = 0; document < documents; document += 1) {
    const name = `${prefix}-${document}`;
    for (let step = 0; step < steps; step += 1) {
      await node.save(TOPIC, { name, step });
      acknowledged.set(name, step);
    }
  }
  return acknowledged;
}
