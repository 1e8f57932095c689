/** A journal whose database sends its changes to a place of backups, and the newest state that can be restored. */
import { randomBytes } from 'node:crypto';
import { sqliteEngine } from '../../src/backup/sqlite/copy.ts';
import { restoreSqlite } from '../../src/backup/sqlite/restore.ts';
import { ContinuousLog, type ShippedLog } from '../../src/backup/sqlite/ship-log.ts';
import { backupName, type Manifest } from '../../src/backup/store/manifest.ts';
import { Repository } from '../../src/backup/store/repository.ts';
import type { Target } from '../../src/backup/store/target.ts';
import { diskTarget } from '../../src/backup/store/target-disk.ts';
import type { DatabaseOptions } from '../../src/db/database.ts';
import type { FollowLog } from '../../src/db/followed-log.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { systemClock } from '../../src/kernel/clock.ts';

interface Shipping extends DatabaseOptions, Partial<Pick<ShippedLog, 'copyFiles' | 'onFailure' | 'onGap'>> {
  readonly target?: Target;
  readonly interval?: number;
  /** Limits of the follower. */
  readonly limits?: Partial<FollowLog>;
}

export function openPlace(target: Target): Promise<Repository> {
  return Repository.open(target, { key: null, site: 'journal', now: Date.now });
}

export async function openShipped(path: string, place: string, shipping: Shipping = {}) {
  const { target = diskTarget(place), interval = 20, limits, ...options } = shipping;
  const { copyFiles = async () => {}, onFailure = () => {}, onGap = () => {} } = options;
  const database = await openDatabase(`sqlite:${path}`, {
    checkpointBytes: 512 * 1024,
    followLog: { now: Date.now, ...limits },
    ...options,
  });
  const { followedLog: followed } = database;
  if (!followed) throw new Error('the log is not followed');
  const repository = await openPlace(diskTarget(place));
  const clock = systemClock();
  const log: ContinuousLog = new ContinuousLog({
    followed,
    openRepository: () => openPlace(target),
    newEpoch: () => backupName(Date.now(), randomBytes(4)),
    copyFiles,
    backUp: async () => {
      const started = Date.now();
      const engine = sqliteEngine({ path, clock, pin: (open) => log.pin(open) });
      const repository = await openPlace(target);
      const { copy, moment, rows } = await engine.copy(repository, () => {});
      await repository.putManifest({
        format: 1,
        name: backupName(started, randomBytes(4)),
        site: 'journal',
        version: '0',
        ...{ started, moment, finished: Date.now() },
        engine: 'sqlite',
        database: copy,
        files: { objects: 0, bytes: 0, index: [] },
        later: [],
        rows,
      });
    },
    onFailure,
    onGap,
    interval,
    retry: interval,
  });
  log.start();
  return {
    database,
    log,
    repository,
    async close() {
      await log.stop();
      await database.close();
    },
  };
}

/** Restores the newest state to a file, or that of a moment; resolves to its moment. */
export async function restoreNewest(
  place: string,
  to: string,
  at = Number.POSITIVE_INFINITY,
): Promise<number> {
  const repository = await openPlace(diskTarget(place));
  const manifest = (await repository.manifests()).findLast(({ moment }: Manifest) => moment <= at);
  if (!manifest || !('log' in manifest.database)) throw new Error('there is no backup');
  return restoreSqlite(repository, { copy: manifest.database, moment: manifest.moment, at }, to);
}
