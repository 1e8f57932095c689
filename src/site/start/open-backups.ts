import { openTarget } from '../../backup/store/open-target.ts';
import { Repository } from '../../backup/store/repository.ts';
import { parseFilesPlace } from '../../config/files-place.ts';
import type { Site } from '../../document/contract.ts';
import { nowMillis } from '../../kernel/clock.ts';
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
  const { to, key } = site.config.backup;
  if (to === null) throw new Error('backups have no place: set backup.to');
  const place = parseFilesPlace(to, site.config.data);
  const target = await openTarget(place, (message) => site.observe({ kind: 'warning', message }));
  try {
    const id = (await loadSettings(site.database.reader)).get(SITE_ID);
    return await Repository.open(target, {
      key: key === null ? null : Buffer.from(key, 'base64'),
      now: () => nowMillis(site.clock),
      ...(id !== undefined && { site: id }),
    });
  } catch (error) {
    target.close();
    throw error;
  }
}
