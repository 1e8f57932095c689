import type { Site } from '../../document/contract.ts';
import type { SiteMark } from '../../file/site-mark.ts';
import { startCollecting } from '../../file/start-collecting.ts';
import { announceWriter } from '../../file/storage-writer.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { startLoads } from '../../load/server/server-loads.ts';
import { startDeliveryWorker } from '../../webhook/worker/worker.ts';
import { startIndexBuilds } from './index-builds.ts';
import type { Mailer } from './mailer.ts';
import { startRehearsals } from './rehearsals.ts';
import { startRetention } from './retention.ts';
import { startServerBackups } from './server-backups.ts';
import type { Undo } from './undos.ts';
import { webhookNotices } from './webhook-notice.ts';

/** A background task, from its start until it is stopped. */
export interface BackgroundTask {
  /** Resolves to a function that stops it. */
  start(): Undo | Promise<Undo>;
}

/**
 * The background tasks of a server: collecting files left by a crash, deleting old records, loads,
 * rehearsing restores, and building indexes of large tables. One that only serves says that it stores
 * files.
 */
export function backgroundTasks(site: FileSite, mark: SiteMark, mailer: Mailer): readonly BackgroundTask[] {
  if (site.config.role === 'serve') return [{ start: () => announceWriter(site, site.storage) }];
  return [
    // Stopped last, so that it sends the last changes of the others.
    ...(site.config.backup.to === null ? [] : [{ start: () => startServerBackups(site, mailer) }]),
    { start: () => startCollecting(site, site.storage, mark) },
    { start: () => startRetention(site) },
    { start: () => startLoads(site) },
    ...(site.config.backup.to === null ? [] : [{ start: () => startRehearsals(site, mailer) }]),
    ...(site.database.indexBuilds ? [{ start: () => startIndexBuilds(site) }] : []),
  ];
}

/** Delivers webhooks, and notifies System Managers of failing receivers. */
export function startDelivering(site: Site, mailer: Mailer): Undo {
  const worker = startDeliveryWorker(site, webhookNotices(site, mailer));
  return () => worker.stop();
}
