import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';

/** What a commit did to deliveries, by webhook. */
export interface Woken {
  /** These may have something due now. */
  readonly due: readonly string[];
  /** These webhooks changed, and with them what waits for them. */
  readonly changed: readonly string[];
}

interface Listener {
  /** A commit of this process; false when others have to hear of it. */
  committed(woken: Woken): boolean;
  /** Another process committed something. */
  elsewhere(): void;
}

interface Ears {
  readonly listeners: Set<Listener>;
  /** Tells this process's notices from others'. */
  readonly sender: string;
}

const known = new WeakMap<Database, Ears>();

function earsOf(database: Database): Ears {
  let ears = known.get(database);
  if (!ears) {
    ears = { listeners: new Set(), sender: randomUUID() };
    known.set(database, ears);
  }
  return ears;
}

/** Hears of deliveries that were committed through this database object, and by other processes. Returns how to stop that. */
export function onDeliveries(database: Database, listener: Listener): () => void {
  const { listeners, sender } = earsOf(database);
  listeners.add(listener);
  const stop = database.notices?.listen((from) => {
    if (from !== sender) listener.elsewhere();
  });
  return () => {
    listeners.delete(listener);
    stop?.();
  };
}

/** Tells the workers of this process what a commit did, and those of others when it is theirs to send. */
export function announceDeliveries(database: Database, woken: Woken): void {
  const { listeners, sender } = earsOf(database);
  let here = false;
  for (const listener of listeners) here = listener.committed(woken) || here;
  if (!here) database.notices?.send(sender);
}
