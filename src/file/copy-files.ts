import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { ServiceError } from '../kernel/errors.ts';
import { contentPages, keysOf } from './content.ts';
import type { Storage } from './storage.ts';
import { PART } from './storage-key.ts';

/** The result of a copy, in objects. */
export interface CopiedFiles {
  readonly copied: number;
  /** Bytes of those. */
  readonly bytes: number;
  /** Copied by an earlier run. */
  readonly already: number;
  /** Objects that could not be copied, a line each. */
  readonly problems: readonly string[];
}

/** How to copy objects from one storage to another. */
export interface Copying {
  readonly from: Storage;
  readonly to: Storage;
  /** Copies an object without passing its bytes through this process; false when it does not exist. */
  readonly inside?: ((key: string) => Promise<boolean>) | undefined;
}

interface Wanted {
  readonly key: string;
  readonly bytes: number;
  /** Null for a part of an unfinished upload. */
  readonly sha256: string | null;
}

const BATCH = 100;
const AT_ONCE = 4;

/**
 * Copies what a site's files and unfinished uploads consist of, under the same keys, and takes nothing away. What is
 * there already is not copied again, so it can be stopped, and run again for what has come meanwhile.
 * @throws ServiceError ValidationError when `to` has files, but none of this site
 */
export async function copyFiles(db: Connection, copying: Copying): Promise<CopiedFiles> {
  await requireOwnOrEmpty(db, copying.to);
  const total = { copied: 0, bytes: 0, already: 0, problems: [] as string[] };
  for await (const batch of wantedObjects(db)) {
    const queue = batch.values();
    const lane = async () => {
      for (const wanted of queue) {
        const outcome = await copyOne(copying, wanted);
        if (outcome === 'already') total.already += 1;
        else if (outcome === 'copied') {
          total.copied += 1;
          total.bytes += wanted.bytes;
        } else if (outcome !== 'lost') total.problems.push(`${wanted.key}: ${outcome}`);
        // Deleted since it was looked up.
        else if ((await keysOf(db, [wanted.key])).get(wanted.key))
          total.problems.push(`${wanted.key}: there is no such object`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  }
  return total;
}

async function copyOne({ from, to, inside }: Copying, wanted: Wanted): Promise<string> {
  const { key, bytes, sha256 } = wanted;
  if ((await to.stat(key))?.bytes === bytes) return 'already';
  if (inside) return (await inside(key)) ? 'copied' : 'lost';
  // Removes remains of an interrupted run.
  await to.delete(key + PART);
  const opened = await from.open(key);
  if (!opened) return 'lost';
  // Not wrapped in a stream: a wrapper that nobody reads would not close it.
  try {
    const stored = await to.put(key, opened.body, { maxBytes: bytes });
    if (stored.bytes === bytes && (sha256 === null || stored.sha256 === sha256)) return 'copied';
    await to.delete(key);
  } catch (error) {
    if (!(error instanceof ServiceError && error.type === 'MaxFileSizeReachedError')) throw error;
  }
  return 'the bytes differ from the stored ones';
}

/** Objects of files, then parts of uploads; in batches. */
async function* wantedObjects(db: Connection): AsyncGenerator<Wanted[]> {
  for await (const page of contentPages(db)) {
    yield page.map(({ storageKey: key, bytes, sha256 }) => ({ key, bytes, sha256 }));
  }
  for (let after = ''; ; ) {
    const rows = await db.all(
      sql`select storage_key, bytes from _partial_piece
        where storage_key > ${after} order by storage_key limit ${BATCH}`,
    );
    yield rows.map((row) => ({ key: String(row.storage_key), bytes: Number(row.bytes), sha256: null }));
    if (rows.length < BATCH) return;
    after = String(rows.at(-1)?.storage_key);
  }
}

// Two sites in one storage would quarantine each other's files.
async function requireOwnOrEmpty(db: Connection, to: Storage): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of to.list()) {
    if (!key.endsWith(PART) && keys.push(key) === BATCH) break;
  }
  if (keys.length === 0 || (await keysOf(db, keys)).size > 0) return;
  throw new ServiceError('ValidationError', 'The place holds files of another site: choose an empty one');
}
