import type { FilesPlace } from '../../config/files-place.ts';
import type { Target } from './target.ts';
import { diskTarget } from './target-disk.ts';

/** Opens the place of backups. `report` gets the cause when an S3 store fails. */
export async function openTarget(place: FilesPlace, report: (problem: string) => void): Promise<Target> {
  if (place.kind === 'disk') return diskTarget(place.root);
  // The SDK costs a start 100 ms, so only sites that use it load it.
  const { s3Target } = await import('./target-s3.ts');
  return s3Target(place, report);
}
