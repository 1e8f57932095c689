import { copyListed } from '../../backup/backup.ts';
import { ContinuousLog } from '../../backup/sqlite/ship-log.ts';
import { backupName } from '../../backup/store/manifest.ts';
import type { Config } from '../../config/config.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { sqliteFile } from '../data-directory.ts';
import { openBackups } from './open-backups.ts';

/** True when this server sends the changes of its SQLite database to a place of backups. */
export function hasContinuousLog(config: Config): boolean {
  return config.backup.to !== null && config.role !== 'serve' && sqliteFile(config) !== null;
}

/** What a continuous log asks for. */
export interface LogOwner {
  /** Makes a backup with the log's `pin`. */
  backUp(): Promise<void>;
  onFailure(error: unknown): void;
}

/** The continuous log of a site, not started yet; null without a place of backups, and on PostgreSQL. */
export function continuousLog(site: FileSite, owner: LogOwner): ContinuousLog | null {
  const { config, clock, random, observe, database } = site;
  const { followedLog: followed } = database;
  if (!followed || config.backup.to === null) return null;
  const warn = (message: string) => observe({ kind: 'warning', message });
  return new ContinuousLog({
    followed,
    async openRepository(signal) {
      const repository = await openBackups(site, signal);
      await repository.loadFiles();
      return repository;
    },
    newEpoch: () => backupName(nowMillis(clock), random.bytes(4)),
    async copyFiles(repository, files) {
      for (const problem of await copyListed({ site, repository }, files)) {
        warn(`The continuous backup lacks a stored file: ${problem}`);
      }
    },
    backUp: () => owner.backUp(),
    onFailure: (error) => owner.onFailure(error),
    onGap: () =>
      warn('The place of backups was away for too long: the continuous backup has a gap, and begins again'),
  });
}
