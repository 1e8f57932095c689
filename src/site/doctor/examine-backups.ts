import { startOf } from '../../backup/store/manifest.ts';
import type { Repository } from '../../backup/store/repository.ts';
import type { Config } from '../../config/config.ts';
import { parseFilesPlace } from '../../config/files-place.ts';
import type { Connection } from '../../db/database.ts';
import { formatTimestamp, nowMillis, systemClock } from '../../kernel/clock.ts';
import { SITE_ID } from '../settings/secret-key.ts';
import { loadSettings } from '../settings/settings-table.ts';
import { placeName } from '../start/bind-files.ts';
import { openRepository, refuseOwnPlace } from '../start/open-backups.ts';
import { messageOf } from '../why-unusable.ts';
import type { Finding } from './finding.ts';

const check = 'backups';

/** Looks whether the server can make backups in the place that the settings name, and how old the newest one is. */
export async function examineBackups(config: Config, db: Connection): Promise<Finding[]> {
  const { to, every } = config.backup;
  if (to === null) return [];
  const place = parseFilesPlace(to, config.data);
  const name = placeName(place);
  const problem = (message: string, remedy: string): Finding[] => [
    { check, state: 'problem', message: `${name}: ${message}`, remedy },
  ];
  let repository: Repository | null = null;
  const clock = systemClock();
  try {
    refuseOwnPlace(place, config);
    repository = await openRepository(place, { config, clock });
    if (repository.site !== (await loadSettings(db)).get(SITE_ID)) {
      return problem('The backups in this place are those of another site', 'set backup.to to another place');
    }
    const newest = startOf((await repository.names()).at(-1) ?? '');
    if (newest === null) return problem('There is no backup in this place', 'make one: chancery backup');
    const made = formatTimestamp(newest * 1000, config.timeZone).slice(0, 19);
    const isOld = every > 0 && newest < nowMillis(clock) - 2 * every;
    return isOld
      ? problem(`The newest backup is of ${made}`, 'the newest Backup Run and the log say why')
      : [{ check, state: 'ok', message: `The newest backup in ${name} is of ${made}` }];
  } catch (error) {
    return problem(messageOf(error), 'see docs/guide/backup.md');
  } finally {
    repository?.target.close();
  }
}
