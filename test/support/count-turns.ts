/** Counts the turns of the event loop. It keeps no process alive: a test may fail before it stops this. */
export function countTurns(): { readonly count: () => number; readonly stop: () => void } {
  let count = 0;
  let next = setImmediate(turn).unref();
  function turn() {
    count += 1;
    next = setImmediate(turn).unref();
  }
  return { count: () => count, stop: () => clearImmediate(next) };
}
