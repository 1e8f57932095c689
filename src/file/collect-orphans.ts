import type { Site } from '../document/context.ts';
import { LIMITS } from '../kernel/limits.ts';
import { keysOf } from './content.ts';
import { giveUp } from './quarantine.ts';
import type { ListedObject, Storage } from './storage.ts';
import { PART } from './storage-key.ts';
import { liveWriters, writerOf } from './storage-writer.ts';

/** Longer than any upload takes from its last byte to its commit. Milliseconds. */
const SAFE_AGE = 60 * 60 * 1000;
/** Of another process, nothing younger than this is touched, whoever it is. */
const YOUNG = 60 * 1000;
/** Objects looked up by one statement, and given up by one transaction. */
const BATCH = 100;

type Collecting = Pick<Site, 'database' | 'clock'>;

/** How a collection went, in objects. */
export interface Collected {
  /** Objects that files and unfinished uploads have. */
  readonly known: number;
  /** Objects that the database does not know, and that nobody can be storing any more. */
  readonly unknown: number;
  /** Those of them that went into quarantine: none when most objects are unknown. */
  readonly quarantined: number;
  /** No file has them, but they may be on their way: a later collection tells. */
  readonly spared: number;
}

export interface CollectingOptions {
  /** No other process stores files here. */
  readonly alone: boolean;
  /** Sets unknown objects aside however many they are. */
  readonly most?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Moves objects that no file has into quarantine: what interrupted uploads and deletes left. Objects of this process and of
 * others that are alive are spared for an hour, for they may be on their way. When most objects are unknown it moves
 * nothing: then it is the database that is wrong.
 *
 * An object is given up in the database before it is moved, so that an upload which took longer than anyone thought
 * is refused, rather than become a file without bytes. What an interrupted `put` left is deleted at once.
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
  // Given up before, and not moved because the process ended in between.
  for (const key of found.givenUp) await storage.quarantine?.add(key);
  let quarantined = 0;
  for (let at = 0; at < found.due.length; at += BATCH) {
    quarantined += await setAside(site, storage, found.due.slice(at, at + BATCH));
  }
  return { known, unknown, quarantined, spared: spared + unknown - found.due.length };
}

/** True when so many objects are unknown that the database is more likely to be wrong than they are to be leftovers. */
export function isMost({ known, unknown }: Pick<Collected, 'known' | 'unknown'>): boolean {
  return unknown > known && unknown > LIMITS.fewUnknown;
}

interface Found {
  known: number;
  unknown: number;
  spared: number;
  /** Some of the unknown: the next collection takes others. */
  readonly due: ListedObject[];
  readonly parts: string[];
  readonly givenUp: string[];
}

// In batches, and only so many keys are kept: memory stays flat however many objects there are.
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
  // A bucket tells when an upload began, which may take for hours as long as its process lives.
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
    // Whoever was faster has it.
    const known = await keysOf(db, keys);
    return keys.filter((key) => known.get(key) === false);
  });
  for (const key of free) await storage.quarantine?.add(key);
  return free.length;
}
