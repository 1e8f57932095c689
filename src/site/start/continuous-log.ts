import { backUp, copyListed } from '../../backup/backup.ts';
import { sqliteEngine } from '../../backup/sqlite/copy.ts';
import { ContinuousLog } from '../../backup/sqlite/ship-log.ts';
import { backupName } from '../../backup/store/manifest.ts';
import { openTarget } from '../../backup/store/open-target.ts';
import { Repository } from '../../backup/store/repository.ts';
import type { Config } from '../../config/config.ts';
import { parseFilesPlace } from '../../config/files-place.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { sqliteFile } from '../data-directory.ts';
import { SITE_ID } from '../settings/secret-key.ts';
import { loadSettings } from '../settings/settings-table.ts';

/** True when this server sends the changes of its SQLite database to a place of backups. */
export function hasContinuousLog(config: Config): boolean {
  return config.backup.to !== null && config.role !== 'serve' && sqliteFile(config) !== null;
}

/** The continuous log of a site, not started yet; null without a place of backups, and on PostgreSQL. */
export function continuousLog(site: FileSite): ContinuousLog | null {
  const { config, clock, random, observe, database } = site;
  const { followedLog: followed } = database;
  const path = sqliteFile(config);
  const { to, key } = config.backup;
  if (!followed || path === null || to === null) return null;
  const warn = (message: string) => observe({ kind: 'warning', message });
  const openRepository = async () => {
    const target = await openTarget(parseFilesPlace(to, config.data), warn);
    const id = (await loadSettings(database.reader)).get(SITE_ID);
    const repository = await Repository.open(target, {
      key: key === null ? null : Buffer.from(key, 'base64'),
      now: () => nowMillis(clock),
      ...(id !== undefined && { site: id }),
    });
    await repository.loadFiles();
    return repository;
  };
  const log = new ContinuousLog({
    followed,
    openRepository,
    newEpoch: () => backupName(nowMillis(clock), random.bytes(4)),
    async copyFiles(repository, files) {
      for (const problem of await copyListed({ site, repository }, files)) {
        warn(`The continuous backup lacks a stored file: ${problem}`);
      }
    },
    async backUp() {
      const repository = await openRepository();
      try {
        const engine = sqliteEngine({ path, clock, pin: (open) => log.pin(open) });
        await backUp({ site, engine, repository, secretKeys: null });
      } finally {
        repository.target.close();
      }
    },
    onFailure: (error) =>
      warn(`The continuous backup waits: ${error instanceof Error ? error.message : error}`),
    onGap: () =>
      warn('The place of backups was away for too long: the continuous backup has a gap, and begins again'),
  });
  return log;
}
