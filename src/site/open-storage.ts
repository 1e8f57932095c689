import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { type FilesPlace, parseFilesPlace, type S3Place } from '../config/files-place.ts';
import { diskStorage } from '../file/disk-storage.ts';
import type { Storage } from '../file/storage.ts';
import type { Random } from '../kernel/random.ts';

/** The place of a site's files. */
export function filesPlaceOf(config: Config): FilesPlace {
  return parseFilesPlace(config.files ?? join(config.data, 'files'), config.data);
}

/** How to open a place for files. */
export interface OpeningStorage {
  /** Gets the cause of a failure of an S3 store. */
  readonly report?: (problem: string) => void;
  /** Called when the disk is full. */
  readonly onFull?: () => void;
  /** For work that nobody waits for: an S3 store that fails is asked again for longer. */
  readonly isPatient?: boolean;
}

/** Opens a place for files, without reading or writing. The S3 client is loaded only when it is needed. */
export async function openStorage(
  place: FilesPlace,
  random: Random,
  { report, onFull, isPatient = false }: OpeningStorage = {},
): Promise<Storage> {
  if (place.kind === 'disk') return diskStorage(place.root, random, onFull);
  const { s3Storage } = await import('../file/s3-storage.ts');
  const { LONG_PATIENCE } = await import('../file/s3-client.ts');
  return s3Storage(place, report, random, isPatient ? LONG_PATIENCE : undefined);
}

/** Copies an object between two places within the store itself; null for places in different stores. */
export async function copierInside(
  from: FilesPlace,
  to: FilesPlace,
): Promise<{ copy(key: string): Promise<boolean>; close(): void } | null> {
  if (from.kind === 'disk' || to.kind === 'disk') return null;
  const storeOf = ({ endpoint, region, credentials }: S3Place) =>
    JSON.stringify([endpoint, region, credentials]);
  if (storeOf(from) !== storeOf(to)) return null;
  const { s3Storage } = await import('../file/s3-storage.ts');
  const { LONG_PATIENCE } = await import('../file/s3-client.ts');
  const storage = s3Storage(to, undefined, undefined, LONG_PATIENCE);
  return { copy: (key) => storage.copyFrom(from, key), close: () => storage.close?.() };
}
