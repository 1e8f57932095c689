import type { Connection, Database } from '../../../db/database.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { buildRegistry } from '../../../doctype/registry.ts';
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
  /** Adds the doctypes that a transaction of this process committed as `version`. */
  put(doctypes: readonly DocType[], version: number): Promise<void>;
  /** The same for a deletion. */
  remove(doctypeName: string, version: number): Promise<void>;
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
    current = registry;
    changedAt = performance.now();
  }

  // Versions are consecutive. After a gap the old number stays until everything is reloaded, because another
  // node changed doctypes meanwhile.
  async function take(doctypes: readonly DocType[], version: number): Promise<void> {
    const follows = version === current.version + 1;
    replace(buildRegistry(doctypes, follows ? version : current.version));
    if (follows) return;
    // A reload in progress may have begun before the commit.
    await reloading?.catch(() => {});
    await reload();
  }

  async function read(): Promise<void> {
    const read = await loadRegistry(database.reader, meta, owner);
    if (read.version >= current.version) replace(read);
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
    put(doctypes, version) {
      const names = new Set(doctypes.map(({ name }) => name));
      return take([...current.all().filter(({ name }) => !names.has(name)), ...doctypes], version);
    },
    remove: (doctypeName, version) =>
      take(
        current.all().filter(({ name }) => name !== doctypeName),
        version,
      ),
    reload,
  };
}
