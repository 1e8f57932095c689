import type { Database } from '../db/database.ts';

/** What a commit did to deliveries, by webhook. */
export interface Woken {
  /** These may have something due now. */
  readonly due: readonly string[];
  /** These webhooks changed, and with them what waits for them. */
  readonly changed: readonly string[];
}

type Listener = (woken: Woken) => void;

const workers = new WeakMap<Database, Set<Listener>>();

/** Has `wake` called when deliveries were committed through this database object. Returns how to stop that. */
export function onDeliveries(database: Database, wake: Listener): () => void {
  const wakes = workers.get(database) ?? new Set();
  workers.set(database, wakes);
  wakes.add(wake);
  return () => {
    wakes.delete(wake);
  };
}

/** Tells the workers of this process what a commit did. Those of other nodes look by themselves. */
export function announceDeliveries(database: Database, woken: Woken): void {
  for (const wake of workers.get(database) ?? []) wake(woken);
}
