import { DamagedBackup } from '../backup/store/damaged-backup.ts';
import { openTarget } from '../backup/store/open-target.ts';
import { Repository } from '../backup/store/repository.ts';
import type { Config } from '../config/config.ts';
import { type FilesPlace, parseFilesPlace } from '../config/files-place.ts';
import { nowMillis, systemClock } from '../kernel/clock.ts';
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
  const clock = systemClock();
  const key = config.backup.key === null ? null : Buffer.from(config.backup.key, 'base64');
  const target = await openTarget(place, (problem) => void process.stderr.write(`${problem}\n`));
  try {
    const opening = { key, now: () => nowMillis(clock), ...(site !== undefined && { site }) };
    return await work(await Repository.open(target, opening));
  } catch (error) {
    const isOfDisk = error instanceof Error && 'syscall' in error && place.kind === 'disk';
    if (isOfDisk) throw new StartError(`The backups cannot be used: ${whyUnusable(place.root, error)}`);
    if (error instanceof DamagedBackup) throw new StartError(error.message, { cause: error });
    throw error;
  } finally {
    target.close();
  }
}
