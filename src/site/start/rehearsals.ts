import type { Site } from '../../document/contract.ts';
import { isStoreAway } from '../../file/delete-unused.ts';
import { formatTimestamp, nowMillis } from '../../kernel/clock.ts';
import { JOBS } from '../../kernel/jobs.ts';
import { type BackupRun, backupState, type LastRun, recordRun } from '../backup-runs.ts';
import type { Mailer } from './mailer.ts';
import { notifyManagers } from './notify-managers.ts';
import { withBackups } from './open-backups.ts';
import { notRun, rehearseSite } from './rehearse-site.ts';

const HOUR = 60 * 60_000;
/** Rehearsals begin in these hours of the night, in the site's time zone. */
const NIGHT = { from: 1, until: 5 };
/** By night, the last one must be this long ago; by day, for a server that does not run at night, this long. */
const NIGHTLY = 20 * HOUR;
const OVERDUE = 36 * HOUR;
/** One that was skipped is tried again after this time. */
const AGAIN = 4 * HOUR;

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
          const { rehearsal } = await backupState(site.database.reader, site);
          if (!isAsked && !isTimeFor(rehearsal, nowMillis(site.clock), site.config.timeZone)) return;
          const run = await rehearseNow(site, abort.signal);
          // Of several in a row that could not run, the first is told.
          const isTold = run.status === 'Skipped' && rehearsal?.status === 'Skipped';
          if (isAsked || !isTold) tell(site, mailer, run);
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

async function rehearseNow(site: Site, signal: AbortSignal): Promise<BackupRun> {
  const started = nowMillis(site.clock);
  try {
    return await withBackups(site, (repository) => rehearseSite(site, repository, signal), signal);
  } catch (error) {
    if (signal.aborted || !isStoreAway(error)) throw error;
    const run = notRun(started, nowMillis(site.clock), error);
    await recordRun(site, run);
    return run;
  }
}

/** Whether a rehearsal is to begin now, in milliseconds since the epoch. */
export function isTimeFor(
  last: Pick<LastRun, 'started' | 'status'> | null,
  now: number,
  timeZone: string,
): boolean {
  if (last === null) return true;
  const { started, status } = last;
  const hour = Number(formatTimestamp(now * 1_000, timeZone).slice(11, 13));
  const isNight = hour >= NIGHT.from && hour < NIGHT.until;
  // A last one in the future was noted before the clock was set back.
  return started > now || now - started >= (status === 'Skipped' ? AGAIN : isNight ? NIGHTLY : OVERDUE);
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
