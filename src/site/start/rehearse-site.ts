import { type Rehearsed, rehearse } from '../../backup/rehearse.ts';
import { chooseState } from '../../backup/restore.ts';
import type { Manifest } from '../../backup/store/manifest.ts';
import type { Repository } from '../../backup/store/repository.ts';
import type { Site } from '../../document/contract.ts';
import { holdObjects } from '../../file/backup-hold.ts';
import { isStoreAway } from '../../file/delete-unused.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { type BackupRun, recordRun } from '../backup-runs.ts';
import { databaseNeeds, lackOfSpace } from '../space-needed.ts';
import { messageOf } from '../why-unusable.ts';
import { openScratch } from './scratch-place.ts';

/** The name of the hold of the one process that rehearses, and of its scratch place. */
const HOLDER = 'rehearsal';
/** Free space that a rehearsal needs, in sizes of the database. The site may need some meanwhile. */
const SPACE = 1.5;

/**
 * Rehearses the restore of the newest backup in a scratch place, which is removed afterwards, and records the run.
 * @throws ServiceError when another process rehearses; the reason of `signal`, and then nothing is recorded
 */
export async function rehearseSite(
  site: Site,
  repository: Repository,
  signal: AbortSignal = new AbortController().signal,
): Promise<BackupRun> {
  const hold = await holdObjects(site, HOLDER, 'rehearsal');
  try {
    const run = await rehearseNewest(site, repository, signal);
    await recordRun(site, run);
    return run;
  } finally {
    await hold.release();
  }
}

/** A rehearsal that could not run, because the place of backups does not answer: it says nothing of the backup. */
export function notRun(started: number, ended: number, error: unknown): BackupRun {
  return {
    kind: 'Rehearsal',
    status: 'Skipped',
    backup: null,
    moment: null,
    started,
    seconds: (ended - started) / 1_000,
    problems: [`could not run: ${messageOf(error)}`],
  };
}

async function rehearseNewest(site: Site, repository: Repository, signal: AbortSignal): Promise<BackupRun> {
  const started = nowMillis(site.clock);
  let manifest: Manifest | null = null;
  const ended = (status: BackupRun['status'], rest: Partial<Rehearsed>): BackupRun => ({
    kind: 'Rehearsal',
    status,
    backup: manifest?.name ?? null,
    moment: manifest?.moment ?? null,
    started,
    seconds: (nowMillis(site.clock) - started) / 1_000,
    problems: [],
    ...rest,
  });
  try {
    const chosen = await chooseState(repository, { name: null, at: null });
    manifest = chosen.manifest;
    const lack = lackOfSpace(databaseNeeds(site.config, manifest, SPACE));
    if (lack !== null) return ended('Skipped', { problems: [`no space: ${lack}`] });
    const scratch = await openScratch(site.config, HOLDER);
    try {
      const rehearsed = await rehearse({ site, repository, manifest, url: scratch.url, signal });
      const problems = [...chosen.damaged, ...rehearsed.problems];
      return ended(problems.length === 0 ? 'Succeeded' : 'Failed', { ...rehearsed, problems });
    } finally {
      await scratch.remove();
    }
  } catch (error) {
    if (signal.aborted) throw error;
    if (isStoreAway(error)) return notRun(started, nowMillis(site.clock), error);
    return ended('Failed', { problems: [messageOf(error)] });
  }
}
