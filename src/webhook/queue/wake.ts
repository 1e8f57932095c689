import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import { memo } from '../../kernel/memo.ts';

/** The effect of a commit on deliveries, by webhook. */
export interface Woken {
  /** Webhooks that may have due deliveries. */
  readonly due: readonly string[];
  /** Webhooks that changed, and with them their waiting deliveries. */
  readonly changed: readonly string[];
}

interface Listener {
  /** Handles a commit of this process; false when other processes must be notified. */
  committed(woken: Woken): boolean;
  /** Handles a commit of another process. */
  elsewhere(): void;
}

interface Ears {
  readonly listeners: Set<Listener>;
  /** Distinguishes notifications of this process from others'. */
  readonly sender: string;
}

const earsOf = memo((_: Database): Ears => {
  return { listeners: new Set(), sender: randomUUID() };
});

/**
 * Listens for deliveries committed through this database object and by other processes. Returns a function
 * that stops it.
 */
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

/** Notifies the workers of this process of a commit, and those of other processes when they are to send. */
export function announceDeliveries(database: Database, woken: Woken): void {
  const { listeners, sender } = earsOf(database);
  let here = false;
  for (const listener of listeners) here = listener.committed(woken) || here;
  if (!here) database.notices?.send(sender);
}
