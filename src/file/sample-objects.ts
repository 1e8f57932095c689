import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { LIMITS } from '../kernel/limits.ts';
import { keysOf } from './content.ts';
import type { Storage } from './storage.ts';
import { PART } from './storage-key.ts';

/** How well a database and a file storage match. */
export interface Sample {
  /** Objects in the sample that the database knows. */
  readonly known: number;
  /** Objects in the sample that it does not know. */
  readonly unknown: number;
  /** The database has files with bytes. */
  readonly hasFiles: boolean;
}

/** Compares a sample of stored objects with the database. Keys are random, so any sample will do. */
export async function sampleObjects(db: Connection, storage: Storage): Promise<Sample> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) {
    if (!key.endsWith(PART) && keys.push(key) === LIMITS.objectsSampled) break;
  }
  const known = keys.length === 0 ? 0 : (await keysOf(db, keys)).size;
  const row = await db.get(sql`select 1 as found from _stored_content where swept_at is null limit 1`);
  return { known, unknown: keys.length - known, hasFiles: row !== undefined };
}

/** True when the storage contains files. */
export async function isInUse(storage: Storage): Promise<boolean> {
  if ((await storage.readMark()) !== null) return true;
  for await (const { key } of storage.list()) if (!key.endsWith(PART)) return true;
  for await (const _ of storage.quarantine?.list() ?? []) return true;
  return false;
}
