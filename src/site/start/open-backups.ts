import { openTarget } from '../../backup/store/open-target.ts';
import { Repository } from '../../backup/store/repository.ts';
import type { Config } from '../../config/config.ts';
import { type FilesPlace, parseFilesPlace } from '../../config/files-place.ts';
import type { Site } from '../../document/contract.ts';
import { type Clock, nowMillis } from '../../kernel/clock.ts';
import { SITE_ID } from '../settings/secret-key.ts';
import { loadSettings } from '../settings/settings-table.ts';

type BackedUp = Pick<Site, 'config' | 'database' | 'clock' | 'observe'>;

/** Works with the backups of a site in the place of its configuration. */
export async function withBackups<T>(
  site: BackedUp,
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  const repository = await openBackups(site);
  try {
    return await work(repository);
  } finally {
    repository.target.close();
  }
}

/** Opens the backups of a site in the place of its configuration, for writing. Close its target. */
export async function openBackups(site: BackedUp): Promise<Repository> {
  const { to } = site.config.backup;
  if (to === null) throw new Error('backups have no place: set backup.to');
  const id = (await loadSettings(site.database.reader)).get(SITE_ID);
  const warn = (message: string) => site.observe({ kind: 'warning', message });
  return openRepository(parseFilesPlace(to, site.config.data), site, warn, id);
}

/**
 * Opens the backups in a place. Close the target. `site`: the one that wants to write there; an empty place becomes
 * its own.
 */
export async function openRepository(
  place: FilesPlace,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  report: (problem: string) => void,
  site?: string,
): Promise<Repository> {
  const { key } = config.backup;
  const target = await openTarget(place, report);
  try {
    return await Repository.open(target, {
      key: key === null ? null : Buffer.from(key, 'base64'),
      now: () => nowMillis(clock),
      ...(site !== undefined && { site }),
    });
  } catch (error) {
    target.close();
    throw error;
  }
}
