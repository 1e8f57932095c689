import { type BackingUp, type BackupResult, backUp } from '../backup/backup.ts';
import type { Site } from '../document/contract.ts';
import { BackupRunning } from '../file/backup-hold.ts';
import type { Storage } from '../file/storage.ts';
import { nowMillis } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { recordRun } from './backup-runs.ts';

/** How to make a backup of a site. */
export interface MakingBackup extends Omit<BackingUp, 'site'> {
  readonly site: Site & { readonly storage: Storage };
  /** Work after the backup; a text that it resolves to is a problem of the run. */
  readonly afterwards?: () => Promise<string | null>;
}

/** Makes a backup, and records it as a Backup Run. Record a failure with `recordFailure`. */
export async function makeBackup(making: MakingBackup): Promise<BackupResult> {
  const { site, afterwards } = making;
  const made = await backUp(making);
  const { name, moment, started, finished, rows, files } = made.manifest;
  const after = (await afterwards?.()) ?? null;
  const problems = [...(after === null ? [] : [after]), ...made.problems];
  await recordRun(site, {
    ...{ kind: 'Backup', status: 'Succeeded', backup: name, moment, started },
    seconds: (finished - started) / 1000,
    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
    files: files.objects,
    bytes: files.bytes,
    problems: problems.slice(0, LIMITS.problemsNamed),
  });
  return made;
}

/** Records that a backup failed, and why; nothing when another one was running. */
export async function recordFailure(site: Site, error: unknown): Promise<void> {
  if (error instanceof BackupRunning) return;
  await recordRun(site, {
    ...{
      kind: 'Backup',
      status: 'Failed',
      backup: null,
      moment: null,
      started: nowMillis(site.clock),
      seconds: 0,
    },
    problems: [error instanceof Error ? error.message : String(error)],
  });
}
