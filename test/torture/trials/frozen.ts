import { Load } from '../load.ts';
import type { SenderNode } from '../sender.ts';
import { Arena, type Bench, sleep, type Trial } from '../trial.ts';

const ENDPOINTS = Array.from({ length: 8 }, (_, index) => `/${index % 4}/${index}`);

/** A process that is stopped for a while as by a debugger or a paging host, and goes on as if nothing had been. */
export const frozen: Trial = {
  name: 'frozen',
  about:
    'a process stopped (SIGSTOP) under load and let go on; with nodes, the others send what it had meanwhile',
  size: 1,
  run: (bench) =>
    interrupted(bench, 'Torture Frozen', {
      begin: (node) => node.signal('SIGSTOP'),
      end: (node) => node.signal('SIGCONT'),
    }),
};

/** A node without its database: it has to keep quiet, because others take it for dead. */
export const fenced: Trial = {
  name: 'fenced',
  about: 'a node cut off from its database under load, and let back in',
  size: 1,
  needsNodes: true,
  run: (bench) =>
    interrupted(bench, 'Torture Fenced', {
      begin: (node) => node.cutOff(),
      end: (node) => node.mend(),
    }),
};

interface Interruption {
  begin(node: SenderNode): Promise<void>;
  end(node: SenderNode): Promise<void>;
}

async function interrupted(bench: Bench, topic: string, { begin, end }: Interruption): Promise<void> {
  const { size, note } = bench;
  await Arena.with(bench, 4, async (arena) => {
    const { sender, receiver } = arena;
    const first = await sender.start();
    await arena.subscribe(first, topic, ENDPOINTS, 5);
    const second = sender.hasNodes ? await sender.start() : null;
    const load = new Load();
    let echoes = 0;
    let duplicates = 0;
    for (let round = 0; round < size; round += 1) {
      let over = false;
      // Through the node that goes on, so that saves do not fail.
      const work = load.run(second ?? first, topic, `r${round}`, () => over);
      const count = receiver.arrivals.length;
      await receiver.until(() => receiver.arrivals.length > count + 100, 60_000);
      await begin(first);
      await sleep(second ? 500 : 2_000);
      over = true;
      if (second) {
        await work;
        // Without the first, the second has to bring everything home.
        ({ echoes, duplicates } = await arena.settle(second, topic, ENDPOINTS, load.acknowledged));
      }
      await end(first);
      await work;
      let more = false;
      const after = load.run(first, topic, `after-${round}`, () => more);
      await sleep(500);
      more = true;
      await after;
      ({ echoes, duplicates } = await arena.settle(second ?? first, topic, ENDPOINTS, load.acknowledged));
      await arena.idle(second ?? first);
    }
    note('documents', String(load.acknowledged.size));
    note('duplicates', String(duplicates));
    note('of them after later changes', String(echoes));
  });
}
