import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { type FilesPlace, parseFilesPlace } from '../config/files-place.ts';
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
