import { readFileSync } from 'node:fs';
import { renderPlan } from '../frappe/plan/render-plan.ts';
import { type ImportedSite, importSite, type SiteImportStep } from '../frappe/remote/import-site.ts';
import { openRemote, planRemote, type RemoteSource } from '../frappe/remote/open-remote.ts';
import { RemoteError } from '../frappe/remote/remote-error.ts';
import type { RemoteFiles } from '../frappe/remote/remote-files.ts';
import { siteId } from '../frappe/remote/remote-records.ts';
import { RemoteSite } from '../frappe/remote/remote-site.ts';
import { parseSiteKey, siteOrigin } from '../frappe/remote/site-address.ts';
import { systemClock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { aboutTime, size } from '../kernel/quantity.ts';
import { systemRandom } from '../kernel/random.ts';
import { StartError } from '../site/start-error.ts';
import { type Invocation, UsageError } from './command.ts';
import { type Following, followRemote, MOST_SHOWN } from './follow-remote.ts';
import { hookAddress, listenForHooks } from './listen-for-hooks.ts';
import { onInterrupt } from './on-interrupt.ts';
import { ownDoctypesOf } from './own-doctypes-of.ts';
import { showProgress } from './show-progress.ts';
import { withOpenSite } from './with-site.ts';

/** `chancery import frappe https://…`: plans the import of a running site, or imports it, and follows it if asked. */
export async function importRemote(invocation: Invocation): Promise<number> {
  const { config, flags, words, print } = invocation;
  const address = hookAddress(flags);
  const interrupt = onInterrupt();
  const progress = showProgress();
  const remote = new RemoteSite({
    origin: siteOrigin(words[1] ?? '', flags['plain-http'] === true),
    key: keyOf(flags['key-file']),
    ...{ clock: systemClock(), random: systemRandom(), signal: interrupt.signal },
    retrying: (why, millis) => progress.show(`${why}; again in ${aboutTime(Math.ceil(millis / 1000))}`),
  });
  try {
    const source = await openRemote(remote);
    if (flags['plan'] === true) {
      const own = await ownDoctypesOf(config, source.definitions, () => siteId(remote));
      const plan = planRemote(source, own);
      if (flags['json'] === true) print(JSON.stringify(plan, null, 2));
      else for (const line of [...notesOf(source), ...renderPlan(plan)]) print(line);
      return 0;
    }
    // Before the load, which takes long: a port in use is told at once.
    const hooks = address && (await listenForHooks(address, source, print));
    try {
      return await load(invocation, source, { signal: interrupt.signal, progress, hooks });
    } finally {
      await hooks?.close();
    }
  } catch (error) {
    if (interrupt.signal.aborted) {
      print('The import was interrupted. The same command goes on with it.');
      return 1;
    }
    throw error instanceof RemoteError ? new StartError(error.message, { cause: error }) : error;
  } finally {
    progress.end();
    interrupt.end();
    await remote.close();
  }
}

function load(
  { config, flags, print }: Invocation,
  source: RemoteSource,
  { signal, progress, hooks }: Pick<Following, 'signal' | 'progress' | 'hooks'>,
): Promise<number> {
  const isFollowing = flags['follow'] === true || flags['until-agreed'] === true;
  const isOverwriting = flags['overwrite'] === true;
  const isDeletingMany = flags['delete-many'] === true;
  const isKeeping = flags['keep-doctypes'] === true;
  const interval = intervalOf(flags['interval']);
  for (const line of notesOf(source)) print(line);
  return withOpenSite(
    config,
    async (site) => {
      const tell = (step: SiteImportStep) => progress.show(describe(step));
      const timeZone = sourceZone(flags);
      const given = { site, source, signal, tell, timeZone, isOverwriting, isDeletingMany, isKeeping };
      const imported = await importSite(given, isFollowing);
      progress.end();
      if (imported === null) {
        print('The import is paused. The same command goes on with it.');
        return 1;
      }
      const files = await imported.carryFiles();
      progress.end();
      for (const line of resultOf(imported, files)) print(line);
      const following = { ...imported, signal, print, progress, interval, hooks };
      return followRemote(following, {
        isFollowing,
        isUntilAgreed: flags['until-agreed'] === true,
        failed: imported.load.counts.failed,
      });
    },
    { patient: true },
  );
}

/** What people must know before they trust the import. */
function notesOf({ schema, counts, denied }: RemoteSource): string[] {
  const documents = counts.values().reduce((sum, count) => sum + count, 0);
  return [
    `${schema.user} reads ${documents} documents of ${counts.size} doctypes.`,
    ...(schema.user === 'Administrator'
      ? []
      : [
          'Note: fields and documents that this user may not read do not come. A key of Administrator reads all.',
        ]),
    ...(schema.isSystemManager ? [] : ['Note: this user is no System Manager: much is hidden from it.']),
    ...[...denied.keys()].map((doctype) => `Note: the key may not read ${doctype}.`),
    'Note: passwords, API secrets and values of Password fields do not come: the API does not give them.',
  ];
}

function resultOf(
  { load: { name, counts, brokenLinks }, notes, refused, changes }: ImportedSite,
  files: RemoteFiles,
): string[] {
  const { inserted, updated, unchanged, skipped, failed } = counts;
  const parts = Object.entries({ inserted, updated, unchanged, skipped, failed }).filter(
    ([, count]) => count > 0,
  );
  const missing = files.missing.slice(0, MOST_SHOWN);
  return [
    ...notes.slice(0, MOST_SHOWN).map(({ doctype, message }) => `Note: ${doctype}: ${message}`),
    ...refused.map((reason) => `Refused: ${reason}`),
    `${name}: ${parts.map(([what, count]) => `${count} ${what}`).join(', ') || 'no documents'}.`,
    ...(failed > 0 ? [`The log of the Data Load ${name} has the reasons.`] : []),
    ...changes.map(
      ({ what, doctype, field, count, examples }) =>
        `${count} × ${what}: ${field === null ? doctype : `${doctype}.${field}`}, such as ${examples[0]}`,
    ),
    ...(brokenLinks > 0 ? [`${brokenLinks} links name documents that are not here.`] : []),
    `${files.stored} files (${size(files.bytes)}) were fetched, ${files.missing.length} are missing there.`,
    ...missing.map((url) => `  ${url}`),
  ];
}

function describe(step: SiteImportStep): string {
  if (step.step === 'files') return `Files: ${step.files}`;
  const { done, total, rate, remaining } = step.stand;
  const left = remaining === null ? '' : `, ${aboutTime(remaining)} left`;
  return `Loading: ${done} of ${total ?? 'unknown'} documents, ${Math.round(rate)} per second${left}`;
}

/** The zone of the times of a source that does not state it. */
export function sourceZone(flags: Invocation['flags']): string | undefined {
  const zone = flags['source-time-zone'];
  return typeof zone === 'string' ? zone : undefined;
}

function keyOf(path: unknown): string {
  if (typeof path !== 'string') {
    throw new UsageError('--key-file is missing: a file with the API key and secret, as key:secret');
  }
  try {
    return parseSiteKey(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`--key-file: ${error instanceof Error ? error.message : error}`);
  }
}

/** Milliseconds. */
function intervalOf(text: unknown): number {
  if (text === undefined) return 30_000;
  const [, number = '', unit = 's'] = /^(\d{1,5})(s|m)?$/.exec(String(text)) ?? [];
  const millis = Number(number) * (unit === 'm' ? 60_000 : 1_000);
  if (number === '' || millis < 1_000 || millis > LIMITS.remoteInterval) {
    throw new UsageError('--interval is a time such as 30s or 5m, up to 1440m');
  }
  return millis;
}
