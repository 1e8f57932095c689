import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Milliseconds that a test waits for something. Only what never happens takes so long, on a busy machine too. */
export const PATIENCE = Number(process.env['CHANCERY_TEST_PATIENCE'] ?? 60_000);
/** Milliseconds between two looks. */
const PAUSE = 10;

/**
 * Looks again and again until `holds` says yes of what is there; resolves to it. Without `holds`: until it is
 * truthy. Rejects with `wanted` and the last value after `PATIENCE`.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  holds: (found: T) => unknown = Boolean,
  wanted = String(holds),
): Promise<T> {
  for (const end = performance.now() + PATIENCE; ; ) {
    const found = await look();
    if (holds(found)) return found;
    if (performance.now() > end)
      throw new Error(
        `waited in vain for ${wanted}; the last value was ${inspect(found, { depth: 5 })}, of ${look}`,
      );
    await pause(PAUSE);
  }
}

/**
 * Resolves to what `watch` hands over; `watch` returns how to stop. Rejects with the text of `state` after
 * `PATIENCE`.
 */
export function inTime<T>(watch: (found: (value: T) => void) => () => void, state: () => string): Promise<T> {
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const late = setTimeout(() => {
      stop();
      reject(new Error(`waited in vain: ${state()}`));
    }, PATIENCE);
    stop = watch((value) => {
      clearTimeout(late);
      // Not before `watch` has returned.
      queueMicrotask(() => stop());
      resolve(value);
    });
  });
}
