import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { type FilesPlace, parseFilesPlace, type S3Place } from '../config/files-place.ts';
import { diskStorage } from '../file/disk-storage.ts';
import type { Storage } from '../file/storage.ts';
import type { Random } from '../kernel/random.ts';

/** Where a site's files are. */
export function filesPlaceOf(config: Config): FilesPlace {
  return parseFilesPlace(config.files ?? join(config.data, 'files'), config.data);
}

/** Opens a place for files; nothing is read or written yet. What talks to S3 is loaded for those who use it. */
export async function openStorage(
  place: FilesPlace,
  random: Random,
  report?: (problem: string) => void,
): Promise<Storage> {
  if (place.kind === 'disk') return diskStorage(place.root, random);
  const { s3Storage } = await import('../file/s3-storage.ts');
  return s3Storage(place, report, random);
}

/** How the store itself copies an object from one place to another; null for places that are not of one store. */
export async function copierInside(
  from: FilesPlace,
  to: FilesPlace,
): Promise<{ copy(key: string): Promise<boolean>; close(): void } | null> {
  if (from.kind === 'disk' || to.kind === 'disk') return null;
  const storeOf = ({ endpoint, region, credentials }: S3Place) =>
    JSON.stringify([endpoint, region, credentials]);
  if (storeOf(from) !== storeOf(to)) return null;
  const { s3Storage } = await import('../file/s3-storage.ts');
  const storage = s3Storage(to);
  return { copy: (key) => storage.copyFrom(from, key), close: () => storage.close?.() };
}
