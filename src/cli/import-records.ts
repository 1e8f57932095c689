import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { createLoad, type LoadMode, readLoad, unfinishedLoad } from '../load/data-load.ts';
import { ndjsonSource } from '../load/ndjson-source.ts';
import type { LoadSource } from '../load/record.ts';
import { type LoadStand, runLoad } from '../load/run-load.ts';
import { undoApplier } from '../load/save/run-import.ts';
import { storeApplier } from '../load/store/store-applier.ts';
import type { StoreOptions } from '../load/store/store-options.ts';
import { undoLoad } from '../load/undo-load.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { type Invocation, requireWord, UsageError } from './command.ts';
import { FILE_FLAGS, importFile } from './import-file.ts';
import { loadDefinitions, withoutDefinitions } from './load-definitions.ts';
import { onInterrupt } from './on-interrupt.ts';
import { printProblems, reportLoad } from './report-load.ts';
import { showProgress } from './show-progress.ts';
import { sourceFile } from './source-file.ts';
import { withOpenSite } from './with-site.ts';

/** The usage of `importRecords`. */
export const RECORDS_USAGE = `<file> [--mode <insert|update|upsert>] [--skip-existing] [--events] ${FILE_FLAGS}`;
/** The usage of `undoImport`. */
export const UNDO_USAGE = 'undo <load>';

/** `chancery import FILE`: resolves to 1 when it was interrupted, or a record failed. */
export async function importRecords(invocation: Invocation): Promise<number> {
  const { config, words, flags, print } = invocation;
  const mode = modeOf(flags['mode']);
  if (flags['doctype'] !== undefined) {
    refuseFlags(flags, ['skip-existing', 'events'], 'with --doctype');
    return importFile(invocation, mode);
  }
  refuseFlags(flags, ORDINARY, 'without --doctype');
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

const ORDINARY = [
  ...['user', 'key', 'map', 'format', 'encoding', 'delimiter', 'header-row', 'locale', 'dry-run'],
  ...['all-or-none', 'no-hooks', 'no-webhooks'],
];

function refuseFlags(flags: Invocation['flags'], names: readonly string[], when: string): void {
  const stray = names.find((name) => flags[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} has no meaning ${when}`);
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
    return await reportLoad(site, ended, print);
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

/** `chancery import undo`: resolves to 1 when some documents stay. */
export async function undoImport({ config, words, print }: Invocation): Promise<number> {
  const name = requireWord(words, 1, 'The load');
  return withOpenSite(config, async (site) => {
    const load = await readLoad(site.database.reader, name);
    const applier = undoApplier(site, load, { user: ADMINISTRATOR, origin: COMMAND_LINE }, true);
    const progress = showProgress();
    const interrupt = onInterrupt();
    try {
      const ended = await undoLoad({
        ...{ site, load: name, applier, signal: interrupt.signal },
        onProgress: (undone, kept) => progress.show(`${undone} records undone, ${kept} kept`),
      });
      progress.end();
      print(`${name}: ${ended.undone} records undone, ${ended.kept} kept.`);
      await printProblems(site, load, print);
      if (ended.status === 'Undone') return ended.kept === 0 ? 0 : 1;
      print('It has not ended. The same command goes on with it.');
      return 1;
    } finally {
      progress.end();
      interrupt.end();
    }
  });
}
