import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '../behaviours.ts';
import { accept } from '../receiver.ts';
import { Arena, type Trial } from '../trial.ts';

const TOPIC = 'Torture Clock';
const ENDPOINT = '/0/hook';
const HOUR = 3_600_000;
/** Receivers refuse requests whose timestamp is further off; milliseconds. */
const TOLERANCE = 60_000;
/** A process may take so long to see that the clock was set; milliseconds. */
const NOTICED = 1_000;

/**
 * The wall clock jumps, while the process runs and while it is down: what waits still goes, and requests bear
 * the time of the day.
 */
export const clock: Trial = {
  name: 'clock',
  about: 'the wall clock an hour forward and back, while the process runs and between two runs',
  size: 1,
  async run(bench) {
    const { note } = bench;
    const folder = await mkdtemp(join(tmpdir(), 'torture-clock-'));
    const clockFile = join(folder, 'shift');
    try {
      await Arena.with(bench, 1, async (arena) => {
        const { sender, receiver } = arena;
        let shift = 0;
        let [before, setAt] = [0, 0];
        const set = async (millis: number) => {
          [before, shift] = [shift, millis];
          await writeFile(`${clockFile}.new`, String(millis));
          await rename(`${clockFile}.new`, clockFile);
          setAt = Date.now();
        };
        /** By how much the time of a request is not that of the day. */
        const offBy = (at: number): number => {
          // What was signed before the clock was set may still be on its way.
          const signedAt = at - before;
          if (signedAt < setAt + NOTICED && signedAt > setAt - TOLERANCE) return 0;
          return at - Date.now() - shift;
        };
        await set(0);
        let node = await sender.start({ clockFile });
        await arena.subscribe(node, TOPIC, [ENDPOINT]);
        const wrong: string[] = [];
        for (const [index, { name, millis, restart }] of JUMPS.entries()) {
          // Each jump finds one that waits for another attempt, and some behind it.
          receiver.decide = () => status(500);
          const seen = receiver.arrivals.length;
          for (let step = 0; step < 3; step += 1) await node.save(TOPIC, { name: `jump-${index}`, step });
          await receiver.until(() => receiver.arrivals.length > seen, 60_000);
          if (restart) await node.signal('SIGKILL');
          await set(millis);
          if (restart) node = await sender.start({ clockFile });
          receiver.decide = (arrival) => {
            const at = sender.sentAt(arrival.headers);
            const off = at === null ? 0 : offBy(at * 1000);
            if (Math.abs(off) > TOLERANCE) wrong.push(`${name}: the time of the request is ${off} ms off`);
            return accept;
          };
          await node.save(TOPIC, { name: `after-${index}`, step: 0 });
          await arena.settle(node, TOPIC, [ENDPOINT]);
        }
        if (wrong.length > 0) throw new Error(`${wrong.length} requests out of time: ${wrong[0]}`);
        note('jumps', JUMPS.map(({ name }) => name).join('; '));
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const JUMPS = [
  { name: 'an hour forward', millis: HOUR, restart: false },
  { name: 'back again', millis: 0, restart: false },
  { name: 'an hour back', millis: -HOUR, restart: false },
  { name: 'a day forward between two runs', millis: 24 * HOUR, restart: true },
  { name: 'two hours back', millis: 22 * HOUR, restart: false },
  { name: 'ten hours back between two runs', millis: 12 * HOUR, restart: true },
];
