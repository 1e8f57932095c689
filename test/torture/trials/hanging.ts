import { hang } from '../behaviours.ts';
import { Arena, sleep, type Trial } from '../trial.ts';

const TOPIC = 'Torture Healthy';
const HANGING = 'Torture Hanging';
const ENDPOINT = '/0/healthy';
const SAVES = 200;
/** Milliseconds between two saves. */
const PACE = 5;

/** A healthy receiver beside many that never answer: it hears of everything while those are still being waited for. */
export const hanging: Trial = {
  name: 'hanging',
  about: 'one healthy receiver beside 100 that never answer',
  size: 100,
  async run(bench) {
    const { size, note } = bench;
    await Arena.with(bench, 1 + size, async (arena) => {
      const { receiver, sender } = arena;
      const node = await sender.start();
      const dead = Array.from({ length: size }, (_, index) => `/${index + 1}/hook`);
      await arena.subscribe(node, TOPIC, [ENDPOINT], 30);
      await arena.subscribe(node, HANGING, dead, 30);
      receiver.decide = ({ endpoint }) => (endpoint === ENDPOINT ? (response) => response.end() : hang);
      const paced = async (prefix: string) => {
        const saved = new Map<string, number>();
        for (let index = 0; index < SAVES; index += 1) {
          const name = `${prefix}-${index}`;
          saved.set(name, performance.now());
          await node.save(TOPIC, { name, step: 0 });
          await sleep(PACE);
        }
        const mine = () => receiver.arrivals.filter(({ endpoint }) => endpoint === ENDPOINT);
        const from = (name: string) => name.startsWith(prefix);
        const names = () => mine().map(({ headers, body }) => sender.read(headers, body).change.name);
        if (!(await receiver.until(() => names().filter(from).length >= SAVES, 60_000))) {
          throw new Error(
            `the healthy receiver got ${names().filter(from).length} of ${SAVES} within a minute`,
          );
        }
        const delays = mine().flatMap(({ headers, body, at }) => {
          const { name } = sender.read(headers, body).change;
          return from(name) ? [at - (saved.get(name) ?? 0)] : [];
        });
        return delays.sort((left, right) => left - right);
      };
      await paced('warm');
      const solo = await paced('solo');
      // More than they could have in flight, so that each always has something to hang on.
      for (let index = 0; index < 20; index += 1) {
        await node.save(HANGING, { name: `stuck-${index}`, step: 0 });
      }
      const reached = () => new Set(receiver.arrivals.map(({ endpoint }) => endpoint)).size;
      await receiver.until(() => reached() > Math.min(30, size), 60_000);
      const beside = await paced('beside');
      note('hanging', String(size));
      for (const [what, delays] of Object.entries({ solo, beside })) {
        note(`${what} p50 ms`, at(delays, 0.5).toFixed(1));
        note(`p99 ms`, at(delays, 0.99).toFixed(1));
      }
      await node.signal('SIGKILL');
    });
  },
};

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
