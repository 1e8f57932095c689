import { accept } from '../receiver.ts';
import { Arena, type Trial } from '../trial.ts';

const TOPIC = 'Torture Hot';
const ENDPOINT = '/0/hook';

/**
 * One document that changes and changes while the receiver holds its first delivery, beside others that go
 * through meanwhile.
 */
export const hotDocument: Trial = {
  name: 'hot-document',
  about: 'thousands of changes of one document behind a delivery that is not answered',
  size: 2_000,
  async run(bench) {
    const { size, note } = bench;
    await Arena.with(bench, 1, async (arena) => {
      const { receiver, sender } = arena;
      let release = () => {};
      receiver.decide = ({ headers, body }) => {
        if (sender.read(headers, body).change.name !== 'hot') return accept;
        receiver.decide = () => accept;
        return (response, socket, arrival) => {
          release = () => accept(response, socket, arrival);
        };
      };
      const node = await sender.start();
      await arena.subscribe(node, TOPIC, [ENDPOINT], 60);
      await node.save(TOPIC, { name: 'hot', step: 0 });
      await receiver.until(() => receiver.arrivals.length === 1, 60_000);
      for (let step = 1; step < size; step += 1) {
        await node.save(TOPIC, { name: 'hot', step });
        if (step % 10 === 0) await node.save(TOPIC, { name: `cool-${step}`, step: 0 });
      }
      // The others do not wait for it; if they did, there would be nobody to let them go.
      const others = Math.floor((size - 1) / 10);
      if (!(await receiver.until(() => receiver.arrivals.length >= 1 + others, 60_000))) {
        throw new Error(
          `of ${others} other documents ${receiver.arrivals.length - 1} went through meanwhile`,
        );
      }
      const began = performance.now();
      release();
      await arena.settle(node, TOPIC, [ENDPOINT]);
      note('changes', String(size));
      note('drained per s', (size / ((performance.now() - began) / 1000)).toFixed(0));
      await node.signal('SIGTERM');
    });
  },
};
