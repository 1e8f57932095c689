import { statSync } from 'node:fs';
import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { type LoadMode, readLoad } from '../load/data-load.ts';
import { ndjsonSource } from '../load/ndjson-source.ts';
import { undoApplier } from '../load/server/run-claimed.ts';
import type { StoreOptions } from '../load/store/store-options.ts';
import { undoLoad } from '../load/undo-load.ts';
import { type Invocation, requireWord, UsageError } from './command.ts';
import { FILE_FLAGS, importFile } from './import-file.ts';
import { importSite } from './import-site.ts';
import { loadDefinitions, withoutDefinitions } from './load-definitions.ts';
import { onInterrupt } from './on-interrupt.ts';
import { printProblems } from './report-load.ts';
import { checkFromFile, runFromFile } from './run-from-file.ts';
import { showProgress } from './show-progress.ts';
import { sourceFile } from './source-file.ts';
import { withOpenSite } from './with-site.ts';

/** The usage of `importRecords`. */
export const RECORDS_USAGE = `<file or folder> [--mode <insert|update|upsert>] [--skip-existing] [--events] [--passphrase-file <file>] ${FILE_FLAGS}`;
/** The usage of `undoImport`. */
export const UNDO_USAGE = 'undo <load>';

/** `chancery import <file or folder>`: resolves to 1 when it was interrupted, or a record failed. */
export async function importRecords(invocation: Invocation): Promise<number> {
  const { config, words, flags, print } = invocation;
  const path = requireWord(words, 0, 'The file or folder');
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const others = ['doctype', 'mode', 'skip-existing', 'events', 'dry-run'];
    refuseFlags(flags, [...others, ...ORDINARY], 'with a folder');
    return importSite(invocation, path);
  }
  const mode = modeOf(flags['mode']);
  if (flags['doctype'] !== undefined) {
    refuseFlags(flags, ['skip-existing', 'events', 'passphrase-file'], 'with --doctype');
    return importFile(invocation, mode);
  }
  refuseFlags(flags, ORDINARY, 'without --doctype');
  if (/\.(?:csv|tsv|txt|xlsx|json)$/i.test(path)) {
    throw new UsageError(`${path} is not NDJSON: --doctype <doctype> imports it as records of this doctype`);
  }
  const source = ndjsonSource(await sourceFile(path));
  const isCheck = flags['dry-run'] === true;
  return withOpenSite(
    config,
    async (site) => {
      const { lines, created } = await loadDefinitions(site, source, isCheck);
      for (const line of lines) print(line);
      const options: StoreOptions = {
        ...{ site, user: ADMINISTRATOR, origin: COMMAND_LINE, mode, isCommandLine: true },
        skipExisting: flags['skip-existing'] === true,
        events: flags['events'] === true,
      };
      if (isCheck) return checkFromFile(site, withoutDefinitions(source), options, created, print);
      return (await runFromFile(site, withoutDefinitions(source), options, 'ndjson', print)).code;
    },
    { patient: true },
  );
}

const ORDINARY = [
  ...['user', 'key', 'map', 'format', 'encoding', 'delimiter', 'header-row', 'locale'],
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
