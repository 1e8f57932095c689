import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Milliseconds that a test waits for something. Only what never happens takes so long, on a busy machine too. */
export const PATIENCE = Number(process.env['CHANCERY_TEST_PATIENCE'] ?? 60_000);
/** Milliseconds until `inTheEnd` gives up. The runner ends the test later, and could not say why. */
const LAST = 5 * PATIENCE;
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
    const found = await inTheEnd(async () => look(), wanted);
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

/**
 * Settles as `work` does. Rejects with `wanted` after `LAST`. Use it for every wait for a process, a
 * connection or a reply.
 */
export async function inTheEnd<T>(work: () => PromiseLike<T>, wanted: string | (() => string)): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`waited in vain for ${typeof wanted === 'string' ? wanted : wanted()}`));
  }, LAST);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
