import type { Connection, Database } from '../../../db/database.ts';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import type { OwnerOf } from './defined-apps.ts';
import { loadRegistry } from './load-registry.ts';

/** The current registry of a site, and the ways to replace it. A registry itself never changes. */
export interface Metadata {
  readonly current: DoctypeRegistry;
  /** The time of the last replacement, on the clock of `performance.now()`. */
  readonly changedAt: number;
  readonly owner: OwnerOf;
  /** The registry as a transaction sees it. */
  read(connection: Connection): Promise<DoctypeRegistry>;
  /** Takes over the doctypes that a transaction of this process committed, unless newer ones are known. */
  replace(committed: DoctypeRegistry): void;
  /** Reloads everything. Overlapping calls share one reload. */
  reload(): Promise<void>;
}

export function startMetadata(
  database: Database,
  meta: DoctypeRegistry,
  owner: OwnerOf,
  initial: DoctypeRegistry,
): Metadata {
  let current = initial;
  let changedAt = Number.NEGATIVE_INFINITY;
  let reloading: Promise<void> | null = null;

  function replace(registry: DoctypeRegistry): void {
    if (registry.version < current.version) return;
    current = registry;
    changedAt = performance.now();
  }

  async function read(): Promise<void> {
    replace(await loadRegistry(database.reader, meta, owner));
  }

  function reload(): Promise<void> {
    reloading ??= read().finally(() => {
      reloading = null;
    });
    return reloading;
  }

  return {
    get current() {
      return current;
    },
    get changedAt() {
      return changedAt;
    },
    owner,
    read: (connection) => loadRegistry(connection, meta, owner),
    replace,
    reload,
  };
}
