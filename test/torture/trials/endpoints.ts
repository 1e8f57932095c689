import { processorSeconds, residentMegabytes } from '../process.ts';
import { Arena, type Trial } from '../trial.ts';

const TOPIC = 'Torture Endpoints';
const ORIGINS = 100;

/** One change that very many endpoints hear of. */
export const endpoints: Trial = {
  name: 'endpoints',
  about: 'one change, told to 10,000 endpoints',
  size: 10_000,
  async run(bench) {
    const { size, note } = bench;
    await Arena.with(bench, ORIGINS, async (arena) => {
      const { receiver, sender } = arena;
      const all = Array.from({ length: size }, (_, index) => `/${index % ORIGINS}/${index}`);
      const node = await sender.start();
      await arena.subscribe(node, TOPIC, all, 15);
      const before = residentMegabytes(node.pid);
      const began = performance.now();
      await node.save(TOPIC, { name: 'one', step: 0 });
      const saved = performance.now();
      const used = processorSeconds(node.pid);
      await arena.settle(node, TOPIC, all);
      const last = receiver.arrivals.at(-1)?.at ?? 0;
      note('endpoints', String(size));
      note('saved after s', ((saved - began) / 1000).toFixed(2));
      note('the last reached after another s', ((last - saved) / 1000).toFixed(2));
      note('of which its processor s', (processorSeconds(node.pid) - used).toFixed(2));
      note('memory grew MB', String(residentMegabytes(node.pid) - before));
      await node.signal('SIGTERM');
    });
  },
};
