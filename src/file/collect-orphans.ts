import type { Site } from '../document/contract.ts';
import { LIMITS } from '../kernel/limits.ts';
import { keysOf } from './content.ts';
import { giveUp, moveAside } from './quarantine.ts';
import type { ListedObject, Storage } from './storage.ts';
import { PART } from './storage-key.ts';
import { liveWriters, writerOf } from './storage-writer.ts';

/** Longer than any upload takes from its last byte to its commit; milliseconds. */
const SAFE_AGE = 60 * 60 * 1000;
/** Younger objects of other processes are always left alone; milliseconds. */
const YOUNG = 60 * 1000;
/** Objects per statement of a lookup, and per transaction of a collection. */
const BATCH = 100;

type Collecting = Pick<Site, 'database' | 'clock'>;

/** The result of a collection, in objects. */
export interface Collected {
  /** Objects of files and of unfinished uploads. */
  readonly known: number;
  /** Objects that the database does not know and that no upload can still use. */
  readonly unknown: number;
  /** How many of them went into quarantine: none when most objects are unknown. */
  readonly quarantined: number;
  /** Objects without a file that may belong to uploads in progress: a later collection decides. */
  readonly spared: number;
}

export interface CollectingOptions {
  /** No other process stores files here. */
  readonly alone: boolean;
  /** Quarantines unknown objects whatever their share is. */
  readonly most?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Moves objects without a file into quarantine: remains of interrupted uploads and deletes. Objects of this
 * process and of other live ones are left alone for an hour, because their upload may be in progress. When
 * most objects are unknown it moves nothing: then the database is wrong.
 *
 * An object is given up in the database before it is moved. An upload that took longer than expected is then
 * refused, instead of becoming a file without bytes. Remains of an interrupted `put` are deleted at once.
 */
export async function collectOrphans(
  site: Collecting,
  storage: Storage,
  { alone, most = false, signal }: CollectingOptions,
): Promise<Collected> {
  const alive = alone ? new Set<string>() : await liveWriters(site);
  const isDue = (object: ListedObject) => isLeftOver(object, alone, alive);
  const found = await lookOver(site, storage, isDue, signal);
  const { known, unknown, spared } = found;
  if (signal?.aborted || (!most && isMost(found))) return { known, unknown, quarantined: 0, spared };
  for (const key of found.parts) await storage.delete(key);
  // Given up before, but not moved because the process ended in between.
  for (const key of found.givenUp) await moveAside(site, storage, key);
  let quarantined = 0;
  for (let at = 0; at < found.due.length; at += BATCH) {
    quarantined += await setAside(site, storage, found.due.slice(at, at + BATCH));
  }
  return { known, unknown, quarantined, spared: spared + unknown - found.due.length };
}

/**
 * True when so many objects are unknown that the database is more likely wrong than the objects are remains.
 */
export function isMost({ known, unknown }: Pick<Collected, 'known' | 'unknown'>): boolean {
  return unknown > known && unknown > LIMITS.fewUnknown;
}

interface Found {
  known: number;
  unknown: number;
  spared: number;
  /** A part of the unknown objects: the next collection takes others. */
  readonly due: ListedObject[];
  readonly parts: string[];
  readonly givenUp: string[];
}

// In batches with a bounded number of keys, so that memory stays constant.
async function lookOver(
  site: Collecting,
  storage: Storage,
  isDue: (object: ListedObject) => boolean,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const found: Found = { known: 0, unknown: 0, spared: 0, due: [], parts: [], givenUp: [] };
  const keep = <T>(list: T[], item: T) => list.length < LIMITS.collectedAtOnce && list.push(item);
  let batch: ListedObject[] = [];
  const look = async () => {
    const keys = batch.map(({ key }) => key);
    const states = await keysOf(site.database.reader, keys);
    for (const object of batch) {
      const state = states.get(object.key);
      if (state === true) found.known += 1;
      else if (state === false) keep(found.givenUp, object.key);
      else if (!isDue(object)) found.spared += 1;
      else if (object.key.endsWith(PART)) keep(found.parts, object.key);
      else {
        found.unknown += 1;
        keep(found.due, object);
      }
    }
    batch = [];
  };
  for await (const object of storage.list()) {
    if (signal?.aborted) return found;
    batch.push(object);
    if (batch.length === BATCH) await look();
  }
  if (batch.length > 0) await look();
  return found;
}

function isLeftOver(
  { key, modifiedAt, ours }: ListedObject,
  alone: boolean,
  alive: ReadonlySet<string>,
): boolean {
  // A bucket reports the start of an upload, which may last for hours while its process lives.
  if (key.endsWith(PART) && (ours || alive.has(writerOf(key)))) return false;
  const age = Date.now() - modifiedAt;
  if (age > SAFE_AGE) return true;
  if (ours) return false;
  return alone || (age > YOUNG && !alive.has(writerOf(key)));
}

async function setAside(
  site: Collecting,
  storage: Storage,
  objects: readonly ListedObject[],
): Promise<number> {
  const keys = objects.map(({ key }) => key);
  const free = await site.database.transaction(async (db) => {
    const contents = objects.map(({ key, bytes }) => ({ storageKey: key, bytes }));
    await giveUp(db, site, contents, false);
    // Skips objects that another process has already taken.
    const known = await keysOf(db, keys);
    return keys.filter((key) => known.get(key) === false);
  });
  for (const key of free) await moveAside(site, storage, key);
  return free.length;
}
