import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { createLoad, type DataLoad, type LoadMode, readLoad, unfinishedLoad } from '../load/data-load.ts';
import { ndjsonSource } from '../load/ndjson-source.ts';
import { readProblems } from '../load/problems.ts';
import type { LoadSource } from '../load/record.ts';
import { type LoadStand, runLoad } from '../load/run-load.ts';
import { storeApplier } from '../load/store/store-applier.ts';
import type { StoreOptions } from '../load/store/store-options.ts';
import { undoLoad } from '../load/undo-load.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { type Invocation, requireWord, UsageError } from './command.ts';
import { loadDefinitions, withoutDefinitions } from './load-definitions.ts';
import { onInterrupt } from './on-interrupt.ts';
import { showProgress } from './show-progress.ts';
import { sourceFile } from './source-file.ts';
import { withOpenSite } from './with-site.ts';

/** The usage of `importRecords`. */
export const RECORDS_USAGE = '<file> [--mode <insert|update|upsert>] [--skip-existing] [--events]';
/** The usage of `undoImport`. */
export const UNDO_USAGE = 'undo <load>';

/** Problems that the command prints; the log of the load has them all. */
const SHOWN = 20;

/** `chancery import FILE.ndjson`: resolves to 1 when it was interrupted, or a record failed. */
export async function importRecords(invocation: Invocation): Promise<number> {
  const { config, words, flags, print } = invocation;
  const mode = modeOf(flags['mode']);
  const source = ndjsonSource(await sourceFile(requireWord(words, 0, 'The file')));
  return withOpenSite(
    config,
    async (site) => {
      const defined = await loadDefinitions(site, source);
      for (const line of defined) print(line);
      const options: StoreOptions = {
        ...{ site, user: ADMINISTRATOR, origin: COMMAND_LINE, mode, isCommandLine: true },
        skipExisting: flags['skip-existing'] === true,
        events: flags['events'] === true,
      };
      return runFromFile(site, withoutDefinitions(source), options, print);
    },
    { patient: true },
  );
}

/** @throws UsageError */
function modeOf(flag: unknown): LoadMode {
  if (flag === undefined) return 'Insert';
  const mode = (['Insert', 'Update', 'Upsert'] as const).find((one) => one.toLowerCase() === flag);
  if (mode) return mode;
  throw new UsageError('--mode is insert, update or upsert');
}

/** Runs the load of a source, or goes on with the one that did not end, and prints what became of it. */
async function runFromFile(
  site: OpenSite,
  source: LoadSource,
  options: StoreOptions,
  print: Invocation['print'],
): Promise<number> {
  const { mode, skipExisting = false, events = false } = options;
  const kind = 'Load';
  const name = await unitOfWork(
    site,
    ADMINISTRATOR,
    async (ctx) =>
      (await unfinishedLoad(ctx.db, ctx.user, { kind, sourceId: source.id })) ??
      createLoad(ctx, {
        ...{ kind, mode, source: source.label, sourceId: source.id, format: 'ndjson' },
        options: { skip_existing: skipExisting, events },
      }),
    COMMAND_LINE,
  );
  const progress = showProgress();
  const interrupt = onInterrupt();
  try {
    const ended = await runLoad({
      ...{ site, load: name, source, applier: storeApplier(options), signal: interrupt.signal },
      onProgress: (stand) => progress.show(describeStand(stand, source.part())),
    });
    progress.end();
    return await report(site, ended, print);
  } finally {
    progress.end();
    interrupt.end();
  }
}

function describeStand({ done, total, rate, remaining }: LoadStand, part: number | null): string {
  const count = (number: number) => number.toLocaleString('en');
  const of = total === null ? '' : ` of ${count(total)}`;
  const share = part === null ? '' : ` (${(part * 100).toFixed(1)} %)`;
  const left = remaining === null ? '' : `, ${durationOf(remaining)} left`;
  return `${count(done)}${of} records${share}, ${count(Math.round(rate))} a second${left}`;
}

function durationOf(seconds: number): string {
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

async function report(site: OpenSite, load: DataLoad, print: Invocation['print']): Promise<number> {
  const { name, status, counts, brokenLinks } = load;
  const { inserted, updated, unchanged, skipped, failed } = counts;
  const parts = Object.entries({ inserted, updated, unchanged, skipped, failed }).filter(
    ([, count]) => count > 0,
  );
  print(`${name}: ${parts.map(([what, count]) => `${count} ${what}`).join(', ') || 'no records'}.`);
  if (brokenLinks > 0) print(`${brokenLinks} links name documents that are not here.`);
  await printProblems(site, name, print);
  if (status === 'Done') return failed === 0 ? 0 : 1;
  print('It has not ended. The same command goes on with it.');
  return 1;
}

async function printProblems(site: OpenSite, load: string, print: Invocation['print']): Promise<void> {
  const problems = await readProblems(site.database.reader, load, { start: 0, limit: SHOWN + 1 });
  for (const { doctype, key, row, field, value, reason } of problems.slice(0, SHOWN)) {
    const where = row > 0 ? `Line ${row}` : '';
    const what = [where, `${doctype} ${key}`.trim(), field, value === '' ? '' : JSON.stringify(value)];
    print(`${what.filter((part) => part !== '').join(', ')}: ${reason}`);
  }
  if (problems.length > SHOWN) print(`The log of the Data Load ${load} lists the others.`);
}

/** `chancery import undo`: resolves to 1 when some documents stay. */
export async function undoImport({ config, words, print }: Invocation): Promise<number> {
  const name = requireWord(words, 1, 'The load');
  return withOpenSite(config, async (site) => {
    const { mode } = await readLoad(site.database.reader, name);
    const options = { site, user: ADMINISTRATOR, origin: COMMAND_LINE, mode, isCommandLine: true };
    const progress = showProgress();
    const interrupt = onInterrupt();
    try {
      const ended = await undoLoad({
        ...{ site, load: name, applier: storeApplier(options), signal: interrupt.signal },
        onProgress: (undone, kept) => progress.show(`${undone} records undone, ${kept} kept`),
      });
      progress.end();
      print(`${name}: ${ended.undone} records undone, ${ended.kept} kept.`);
      await printProblems(site, name, print);
      if (ended.status === 'Undone') return ended.kept === 0 ? 0 : 1;
      print('It has not ended. The same command goes on with it.');
      return 1;
    } finally {
      progress.end();
      interrupt.end();
    }
  });
}
