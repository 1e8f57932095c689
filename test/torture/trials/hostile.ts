import { HOSTILE, RUDE } from '../behaviours.ts';
import { residentMegabytes } from '../process.ts';
import { accept } from '../receiver.ts';
import { Arena, type Trial } from '../trial.ts';

const TOPIC = 'Torture Hostile';
const HEALTHY = '/0/healthy';

/** Receivers that do everything wrong that a receiver can, side by side and beside a healthy one, and then recover. */
export const hostile: Trial = {
  name: 'hostile',
  about: 'receivers that answer nothing, too slowly, too much, or what is no answer, and recover',
  size: 2,
  async run(bench) {
    const { size, note } = bench;
    const behaviours = Object.entries({ ...HOSTILE, ...RUDE });
    await Arena.with(bench, 1 + behaviours.length, async (arena) => {
      const { sender, receiver } = arena;
      const endpoints = [HEALTHY, ...behaviours.map((_, index) => `/${index + 1}/hook`)];
      const asked = new Map<string, number>();
      receiver.decide = ({ endpoint }) => {
        const count = (asked.get(endpoint) ?? 0) + 1;
        asked.set(endpoint, count);
        const [, behaviour] = behaviours[endpoints.indexOf(endpoint) - 1] ?? [];
        return behaviour && count <= size ? behaviour : accept;
      };
      const node = await sender.start();
      await arena.subscribe(node, TOPIC, endpoints, 5);
      const before = residentMegabytes(node.pid);
      for (let step = 0; step < 5; step += 1) {
        for (const name of ['one', 'two', 'three']) await node.save(TOPIC, { name, step });
      }
      const stored = await node.stored(TOPIC);
      await arena.settle(node, TOPIC, endpoints).catch((error: unknown) => {
        const told = error instanceof Error ? error.message : String(error);
        throw new Error(told.replaceAll(/\/(\d+)\/hook/g, (_, at) => behaviours[Number(at) - 1]?.[0] ?? ''));
      });
      for (const [index, [name]] of behaviours.entries()) {
        const { length } = receiver.arrivals.filter(({ endpoint }) => endpoint === endpoints[index + 1]);
        // Whose status was bad is asked again, and whose was good is not, unless the machine was too slow for once.
        const changes = 5 * stored.size;
        const bad = length >= changes + size;
        if (bad !== name in HOSTILE)
          throw new Error(`a receiver that ${name} got ${length} requests for ${changes} changes`);
      }
      note('behaviours', String(behaviours.length));
      note('memory grew MB', String(residentMegabytes(node.pid) - before));
      await node.signal('SIGTERM');
    });
  },
};
