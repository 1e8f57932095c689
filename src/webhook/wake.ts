import type { Database } from '../db/database.ts';

const workers = new WeakMap<Database, Set<() => void>>();

/** Has `wake` called when deliveries were committed through this database object. Returns how to stop that. */
export function onDeliveries(database: Database, wake: () => void): () => void {
  const wakes = workers.get(database) ?? new Set();
  workers.set(database, wakes);
  wakes.add(wake);
  return () => {
    wakes.delete(wake);
  };
}

/** Tells the workers of this process that something may be due. Those of other nodes look by themselves. */
export function announceDeliveries(database: Database): void {
  for (const wake of workers.get(database) ?? []) wake();
}
