import type { Site } from '../../document/contract.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { JOBS } from '../../kernel/jobs.ts';
import { type BackupRun, backupState } from '../backup-runs.ts';
import type { Mailer } from './mailer.ts';
import { notifyManagers } from './notify-managers.ts';
import { withBackups } from './open-backups.ts';
import { rehearseSite } from './rehearse-site.ts';

const HOUR = 60 * 60_000;
/** Rehearsals begin in these hours of the night, in the site's time zone. */
const NIGHT = { from: 1, until: 5 };
/** By night, the last one must be this long ago; by day, for a server that does not run at night, this long. */
const NIGHTLY = 20 * HOUR;
const OVERDUE = 36 * HOUR;

/**
 * Rehearses the restore of the newest backup once a night until it is stopped, on one server of those that share the
 * database. Failures are mailed to the System Managers.
 */
export function startRehearsals(site: Site, mailer: Mailer): () => Promise<void> {
  const abort = new AbortController();
  const job = site.jobs.job('rehearse_backup');
  const running = (async () => {
    while (await job.due(JOBS.rehearse_backup, abort.signal)) {
      const isAsked = job.isAsked;
      try {
        await job.run(async () => {
          if (isAsked || (await isDue(site))) tell(site, mailer, await rehearseNow(site, abort.signal));
        });
      } catch (error) {
        // The server stops.
        if (abort.signal.aborted) return;
        site.observe({ kind: 'unexpected', where: 'rehearsing a restore', error });
      }
    }
  })();
  return async () => {
    abort.abort();
    await running;
  };
}

function rehearseNow(site: Site, signal: AbortSignal): Promise<BackupRun> {
  return withBackups(site, (repository) => rehearseSite(site, repository, signal), signal);
}

async function isDue(site: Site): Promise<boolean> {
  const { rehearsal } = await backupState(site.database.reader, site);
  return isTimeFor(rehearsal?.started ?? null, nowMillis(site.clock), site.config.timeZone);
}

/** Whether a rehearsal is to begin now. `last`: when the last one began; milliseconds since the epoch. */
export function isTimeFor(last: number | null, now: number, timeZone: string): boolean {
  if (last === null) return true;
  const hour = Number(formatTimestamp(now * 1_000, timeZone).slice(11, 13));
  const isNight = hour >= NIGHT.from && hour < NIGHT.until;
  // A last one in the future was noted before the clock was set back.
  return last > now || now - last >= (isNight ? NIGHTLY : OVERDUE);
}

function tell(site: Site, mailer: Mailer, { status, backup, problems }: BackupRun): void {
  if (status === 'Succeeded') return;
  const what =
    status === 'Skipped'
      ? 'The nightly rehearsal of a restore was skipped'
      : `The nightly rehearsal of a restore failed${backup === null ? '' : `: the backup ${backup} cannot be relied on`}`;
  notifyManagers(site, mailer, {
    subject: status === 'Skipped' ? 'Rehearsal of a restore skipped' : 'Rehearsal of a restore failed',
    text: `${what}.\n\n${problems.join('\n')}`,
    path: '/admin/system',
  });
}
