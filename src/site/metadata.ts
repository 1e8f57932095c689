import type { Connection, Database } from '../db/database.ts';
import type { DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { buildRegistry } from '../doctype/registry.ts';
import type { OwnerOf } from './defined-apps.ts';
import { loadRegistry } from './load-registry.ts';

/** The registry a site uses now, and the ways it is replaced. Registries themselves never change. */
export interface Metadata {
  readonly current: DoctypeRegistry;
  /** When the registry was last replaced, on the clock of `performance.now()`. */
  readonly changedAt: number;
  readonly owner: OwnerOf;
  /** The registry as a transaction sees it. */
  read(connection: Connection): Promise<DoctypeRegistry>;
  /** Takes over a doctype that a transaction of this process committed as `version`. */
  put(doctype: DocType, version: number): Promise<void>;
  /** The same for a deletion. */
  remove(doctypeName: string, version: number): Promise<void>;
  /** Reads everything anew. Calls that overlap share one reading. */
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

  // Versions are consecutive. After a gap the old number stays until everything was read anew: someone else changed
  // doctypes meanwhile.
  async function take(doctypes: readonly DocType[], version: number): Promise<void> {
    const follows = version === current.version + 1;
    replace(buildRegistry(doctypes, follows ? version : current.version));
    if (follows) return;
    // A reading under way may have begun before the commit.
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
    put: (doctype, version) =>
      take([...current.all().filter(({ name }) => name !== doctype.name), doctype], version),
    remove: (doctypeName, version) =>
      take(
        current.all().filter(({ name }) => name !== doctypeName),
        version,
      ),
    reload,
  };
}
