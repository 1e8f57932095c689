import type { Settled } from '../backup/after/settle-restored.ts';
import { chooseState, type WantedState } from '../backup/restore.ts';
import type { Repository } from '../backup/store/repository.ts';
import { missingObjects } from '../backup/verify.ts';
import type { Config } from '../config/config.ts';
import { parseTimestamp, systemClock } from '../kernel/clock.ts';
import { isOutOfSpace } from '../kernel/out-of-space.ts';
import { systemRandom } from '../kernel/random.ts';
import { filesPlaceOf, openStorage } from '../site/open-storage.ts';
import { readKeys, secretKeyFile } from '../site/settings/key-file.ts';
import { whereFull } from '../site/space-watch.ts';
import type { FilesOfSite } from '../site/start/bind-files.ts';
import { restoreSite, whyImpossible } from '../site/start/restore-site.ts';
import { StartError } from '../site/start-error.ts';
import { backupPlace, withRepository } from './backup-place.ts';
import { type Command, type Invocation, UsageError } from './command.ts';
import { describeBackup } from './describe-backup.ts';
import { parseOnly, restoreCopies } from './restore-copies.ts';
import { showCopying } from './show-progress.ts';
import { timeOf } from './time-of.ts';

export const restoreCommand: Command = {
  help: 'restore a site from a backup into an empty place, or copies of documents into the site',
  usage: ['[<backup>] [--from <place>] [--at <time>] [--dry-run] [--only <doctype/name>] [--as-copy]'],
  async run(invocation) {
    const { config, flags, words, print } = invocation;
    const only = parseOnly(invocation);
    return withRepository(config, backupPlace(config, 'from', flags['from']), async (repository) => {
      const at = flags['at'] === undefined ? null : momentOf(String(flags['at']), config);
      const state = await chooseState(repository, { name: words[0] ?? null, at });
      for (const note of [...state.damaged, ...state.beside]) print(note);
      print(`Backup ${state.manifest.name} holds ${describeBackup(state.manifest, config)}.`);
      if (state.end > state.manifest.moment) print(`Its log leads to ${timeOf(state.end, config)}.`);
      return only === null
        ? restoreAll(invocation, repository, state)
        : restoreCopies(invocation, repository, state, only);
    });
  },
};

async function restoreAll(
  invocation: Invocation,
  repository: Repository,
  state: WantedState,
): Promise<number> {
  const { config, flags } = invocation;
  const place = filesPlaceOf(config);
  const report = (problem: string) => void process.stderr.write(`${problem}\n`);
  const storage = await openStorage(place, systemRandom(), { report, isPatient: true });
  const files = { config, place, storage, observe: () => {} };
  try {
    return flags['dry-run'] === true
      ? await tryOut(invocation, files, repository, state)
      : await restore(invocation, files, repository, state);
  } finally {
    storage.close?.();
  }
}

async function restore(
  { config, print }: Invocation,
  files: FilesOfSite,
  repository: Repository,
  state: WantedState,
): Promise<number> {
  const progress = showCopying();
  const restoring = { files, repository, state, progress, clock: systemClock(), random: systemRandom() };
  const restored = await restoreSite({ ...restoring, observe: files.observe })
    .catch((error: unknown) => {
      // Only the place of the site is written to.
      throw isOutOfSpace(error) ? new StartError(whereFull(config, 'database'), { cause: error }) : error;
    })
    .finally(progress.end);
  const { moment, problems, settled, unread } = restored;
  print(`Restored the state of ${timeOf(moment, config)}.`);
  for (const line of describeUnread(unread, settled)) print(line);
  for (const line of describeSettled(settled)) print(line);
  for (const line of keyAdvice(config)) print(line);
  for (const problem of problems) print(problem);
  if (problems.length === 0) return 0;
  print(`Files that were not restored: ${problems.length}. See chancery files check`);
  return 1;
}

/** What a later state would have told, had it been readable. */
function describeUnread(unread: readonly string[], { skipped }: Settled): string[] {
  if (unread.length === 0) return [];
  const known =
    skipped > 0
      ? 'No later state is known, so look for users and keys that ended since, and disable them.'
      : 'An earlier one was used, so look for users and keys that ended since that, and disable them.';
  return [...unread, `A later state of the site could not be read. ${known}`];
}

function describeSettled({ deliveries, skipped, users, keys }: Settled): string[] {
  const lines = ['All sessions have ended.'];
  if (deliveries > 0) {
    lines.push(
      `${deliveries} webhook deliveries are held, because they may have been sent: resend or cancel them.`,
    );
  }
  if (skipped > 0) {
    lines.push(`Each series leaves out ${skipped} numbers: no later backup tells where it ended.`);
  }
  const off = [...users, ...keys.map(({ key, user }) => `the API key ${key} of ${user}`)];
  if (off.length > 0) lines.push(`Disabled, as in a later backup: ${off.join(', ')}.`);
  return lines;
}

/** Looks whether a restore would succeed, and changes nothing. */
async function tryOut(
  { config, print }: Invocation,
  files: FilesOfSite,
  repository: Repository,
  { manifest }: WantedState,
): Promise<number> {
  const found = await whyImpossible(files, repository, manifest);
  for (const line of found) print(line);
  const missing = await missingObjects(repository, manifest);
  for (const name of missing) print(`Missing in the backup: ${name}`);
  if (manifest.secretKeys === undefined) for (const line of keyAdvice(config)) print(line);
  const isPossible = found.length === 0 && missing.length === 0;
  print(`Nothing was changed. The restore is ${isPossible ? '' : 'not '}possible.`);
  return isPossible ? 0 : 1;
}

/** Where the key of the secrets must come from, if it is not there. */
function keyAdvice(config: Config): string[] {
  if (readKeys(config)) return [];
  return [
    `Before you start the server, put the site's secret.key at ${secretKeyFile(config)}, or set secretKey: ` +
      'it is not in the backup.',
  ];
}

/** A time as in documents, in the site's time zone, or in ISO 8601 with a zone. @throws UsageError */
function momentOf(text: string, { timeZone }: Config): number {
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const plain = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?$/.test(text);
  const micros = plain
    ? parseTimestamp(text.replace('T', ' '), timeZone)
    : zoned
      ? Date.parse(text) * 1000
      : Number.NaN;
  if (Number.isFinite(micros)) return Math.floor(micros / 1000);
  throw new UsageError(
    `--at needs a time such as '2026-11-22 10:00:00' (${timeZone}) or 2026-11-22T10:00:00Z`,
  );
}
