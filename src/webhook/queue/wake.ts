import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import { memo } from '../../kernel/memo.ts';

/** A delivery that may be due. */
export interface DueDelivery {
  readonly webhook: string;
  readonly orderKey: string;
}

/** The effect of a commit on deliveries. */
export interface Woken {
  readonly due: readonly DueDelivery[];
  /** Webhooks that changed, and with them their waiting deliveries. */
  readonly changed: readonly string[];
}

interface Listener {
  /** Its name among the processes that deliver. */
  readonly node: string;
  /** Handles a commit of this process. Returns the other processes that must send some of it; null: not known. */
  committed(woken: Woken): readonly string[] | null;
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
  const stop = database.notices?.listen(listener.node, (from) => {
    if (from !== sender) listener.elsewhere();
  });
  return () => {
    listeners.delete(listener);
    stop?.();
  };
}

/**
 * Notifies the workers of this process of a commit, and the other processes that are to send. A process without a
 * worker does not know these, and notifies all.
 */
export function announceDeliveries(database: Database, woken: Woken): void {
  const { listeners, sender } = earsOf(database);
  const others = [...listeners].map((listener) => listener.committed(woken));
  const known = others.filter((nodes) => nodes !== null);
  if (known.length === 0) database.notices?.send(sender, null);
  else if (known.flat().length > 0) database.notices?.send(sender, known.flat());
}
