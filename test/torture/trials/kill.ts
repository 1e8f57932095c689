import { status } from '../behaviours.ts';
import { Load } from '../load.ts';
import { accept } from '../receiver.ts';
import { Arena, sleep, type Trial } from '../trial.ts';

const TOPIC = 'Torture Kill';
const ENDPOINT = '/0/hook';

/**
 * Processes killed at any moment under load: nothing stored is lost, nothing undone is told, and the order
 * per document holds.
 */
export const kill: Trial = {
  name: 'kill',
  about: 'SIGKILL at any moment under load, again and again',
  size: 20,
  async run(bench) {
    const { size, note } = bench;
    await Arena.with(bench, 1, async (arena) => {
      const { sender, receiver } = arena;
      let count = 0;
      // One answer in nine is a failure, so that retries and what waits behind them are among what is killed.
      receiver.decide = () => {
        count += 1;
        return count % 9 === 0 ? status(500) : accept;
      };
      const load = new Load();
      let node = await sender.start();
      await arena.subscribe(node, TOPIC, [ENDPOINT]);
      for (let round = 0; round < size; round += 1) {
        const before = receiver.arrivals.length;
        let isKilled = false;
        const work = load.run(node, TOPIC, `r${round}`, () => isKilled);
        const wanted = before + 5 + (round % 8) * 7;
        if (!(await receiver.until(() => receiver.arrivals.length >= wanted, 60_000))) {
          throw new Error(
            `round ${round}: only ${receiver.arrivals.length - before} requests within a minute`,
          );
        }
        await sleep(Math.random() * 20);
        await node.signal('SIGKILL');
        // Where only a part of the processes was killed, the other part goes on.
        isKilled = true;
        await work;
        node = await sender.start();
      }
      const began = performance.now();
      const { duplicates, echoes } = await arena.settle(node, TOPIC, [ENDPOINT], load.acknowledged);
      if (echoes > 0)
        throw new Error(`${echoes} changes came again after later ones, with one process at a time`);
      note('documents', String(load.acknowledged.size));
      note('requests', String(receiver.arrivals.length));
      note('kills', String(size));
      note('all was there after another s', ((performance.now() - began) / 1000).toFixed(1));
      note('duplicates per kill', (duplicates / size).toFixed(1));
    });
  },
};
