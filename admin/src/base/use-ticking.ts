import { useSyncExternalStore } from 'react';

/** Milliseconds between renderings; relative times need no finer ones. */
const STEP = 30_000;

const listeners = new Set<() => void>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Renders the component again every half minute, so that "5 minutes ago" stays true. */
export function useTicking(): void {
  useSyncExternalStore(subscribe, () => ticks);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) timer = setInterval(tick, STEP);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  ticks += 1;
  for (const listener of [...listeners]) listener();
}
