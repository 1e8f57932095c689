import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import {
  createLoad,
  type LoadCounts,
  type NewLoad,
  readLoad,
  total,
  unfinishedLoad,
} from '../load/data-load.ts';
import type { LoadSource } from '../load/record.ts';
import { type LoadRun, type LoadStand, runLoad } from '../load/run-load.ts';
import { checkStored } from '../load/store/check-records.ts';
import { storeApplier } from '../load/store/store-applier.ts';
import type { StoreOptions } from '../load/store/store-options.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import type { Invocation } from './command.ts';
import { onInterrupt } from './on-interrupt.ts';
import { reportLoad } from './report-load.ts';
import { showProgress } from './show-progress.ts';

/** The load of a source that did not end, or a new one. */
export function loadOf(
  site: OpenSite,
  source: LoadSource,
  options: StoreOptions,
  format: string,
): Promise<string> {
  const load = newLoad(source, options, format);
  return unitOfWork(
    site,
    ADMINISTRATOR,
    async (ctx) => (await unfinishedLoad(ctx.db, ctx.user, load)) ?? createLoad(ctx, load),
    COMMAND_LINE,
  );
}

function newLoad(
  source: LoadSource,
  { mode, skipExisting = false, events = false }: StoreOptions,
  format: string,
) {
  return {
    ...{ kind: 'Load', mode, source: source.label, sourceId: source.id, format },
    options: { skip_existing: skipExisting, events },
  } as const satisfies NewLoad;
}

/** Checks the records of a source, and prints what a load would do. Resolves to 1 when records would fail. */
export async function checkFromFile(
  site: OpenSite,
  source: LoadSource,
  options: StoreOptions,
  /** Doctypes that the load would define first. */
  unknown: readonly string[],
  print: Invocation['print'],
): Promise<number> {
  const load = { ...newLoad(source, options, 'ndjson'), status: 'Checking' } as const;
  const name = await unitOfWork(site, ADMINISTRATOR, (ctx) => createLoad(ctx, load), COMMAND_LINE);
  const progress = showProgress();
  const interrupt = onInterrupt();
  const run = {
    signal: interrupt.signal,
    onProgress: (counts: LoadCounts) =>
      progress.show(`${total(counts).toLocaleString('en')} records checked`),
  };
  try {
    const stored = await readLoad(site.database.reader, name);
    const ended = await checkStored(options, stored, source, run, new Set(unknown));
    progress.end();
    if (unknown.length > 0) print(`Not checked, because they are new: documents of ${unknown.join(', ')}.`);
    return await reportLoad(site, ended, print);
  } finally {
    progress.end();
    interrupt.end();
  }
}

/**
 * Runs the load of a source, or goes on with the one that did not end, and prints what became of it. `atEnd` follows
 * the last record, before the load is `Done`; after a kill it may run again.
 */
export async function runFromFile(
  site: OpenSite,
  source: LoadSource,
  options: StoreOptions,
  format: string,
  print: Invocation['print'],
  atEnd: () => Promise<void> = async () => {},
): Promise<{ readonly code: number; readonly isDone: boolean }> {
  const name = await loadOf(site, source, options, format);
  const applier: LoadRun['applier'] = (of) => {
    const store = storeApplier(options)(of);
    return {
      ...store,
      finish: async () => {
        await atEnd();
        return store.finish();
      },
    };
  };
  const progress = showProgress();
  const interrupt = onInterrupt();
  try {
    const ended = await runLoad({
      ...{ site, load: name, source, applier, signal: interrupt.signal },
      onProgress: (stand) => progress.show(describeStand(stand, source.part())),
    });
    progress.end();
    return { code: await reportLoad(site, ended, print), isDone: ended.status === 'Done' };
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
