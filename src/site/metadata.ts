import type { Database } from '../db/database.ts';
import type { DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { buildRegistry } from '../doctype/registry.ts';
import { loadRegistry } from './sync-doctypes.ts';

/** The registry a site uses now, and the ways it is replaced. Registries themselves never change. */
export interface Metadata {
  readonly current: DoctypeRegistry;
  /** Takes over a doctype that a transaction of this process committed as `version`. */
  put(doctype: DocType, version: number): void;
  /** The same for a deletion. */
  remove(doctypeName: string, version: number): void;
  /** Reads everything anew. Calls that overlap share one reading. */
  reload(): Promise<void>;
}

export function startMetadata(
  database: Database,
  meta: DoctypeRegistry,
  owner: (doctypeName: string) => string,
  initial: DoctypeRegistry,
): Metadata {
  let current = initial;
  let reloading: Promise<void> | null = null;

  // Versions are consecutive. After a gap the old number stays, so that whoever follows the version reads anew.
  function replace(doctypes: readonly DocType[], version: number): void {
    current = buildRegistry(doctypes, version === current.version + 1 ? version : current.version);
  }

  async function read(): Promise<void> {
    const read = await loadRegistry(database.reader, meta, owner);
    if (read.version >= current.version) current = read;
  }

  return {
    get current() {
      return current;
    },
    put(doctype, version) {
      replace([...current.all().filter(({ name }) => name !== doctype.name), doctype], version);
    },
    remove(doctypeName, version) {
      replace(
        current.all().filter(({ name }) => name !== doctypeName),
        version,
      );
    },
    reload() {
      reloading ??= read().finally(() => {
        reloading = null;
      });
      return reloading;
    },
  };
}
