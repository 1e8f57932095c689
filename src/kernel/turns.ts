import { setImmediate } from 'node:timers/promises';

/** Milliseconds of computation after which other work gets a turn. */
const TURN = 5;

/** Await the returned function between the steps of a long computation, so that other work runs in between. */
export function takeTurns(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < TURN) return;
    await setImmediate();
    began = performance.now();
  };
}
