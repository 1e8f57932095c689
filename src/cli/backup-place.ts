import { DamagedBackup } from '../backup/store/damaged-backup.ts';
import type { Repository } from '../backup/store/repository.ts';
import type { Config } from '../config/config.ts';
import { type FilesPlace, parseFilesPlace } from '../config/files-place.ts';
import { systemClock } from '../kernel/clock.ts';
import { openRepository } from '../site/start/open-backups.ts';
import { StartError } from '../site/start-error.ts';
import { whyUnusable } from '../site/why-unusable.ts';
import { UsageError } from './command.ts';

/** The place that a flag names, or else the setting. @throws UsageError without either */
export function backupPlace(config: Config, flag: string, given: unknown): FilesPlace {
  const text = typeof given === 'string' ? given : config.backup.to;
  if (text === null)
    throw new UsageError(`Name the place of backups: --${flag} <place>, or the setting backup.to`);
  try {
    return parseFilesPlace(text, process.cwd());
  } catch (error) {
    throw new UsageError(`The place of backups ${error instanceof Error ? error.message : error}`);
  }
}

/** Works with the backups in a place. `site`: the one that wants to write there; an empty place becomes its own. */
export async function withRepository<T>(
  config: Config,
  place: FilesPlace,
  work: (repository: Repository) => Promise<T>,
  site?: string,
): Promise<T> {
  try {
    const repository = await openRepository(
      place,
      { config, clock: systemClock() },
      site === undefined ? {} : { site },
    );
    try {
      return await work(repository);
    } finally {
      repository.target.close();
    }
  } catch (error) {
    const isOfDisk = error instanceof Error && 'syscall' in error && place.kind === 'disk';
    if (isOfDisk) throw new StartError(`The backups cannot be used: ${whyUnusable(place.root, error)}`);
    if (error instanceof DamagedBackup) throw new StartError(error.message, { cause: error });
    throw error;
  }
}
