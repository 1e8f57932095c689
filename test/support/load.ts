import { COMMAND_LINE } from '../../src/access/audit.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { createLoad, type DataLoad, readLoad } from '../../src/load/data-load.ts';
import { readProblems } from '../../src/load/problems.ts';
import type { LoadSource, SourceRecord } from '../../src/load/record.ts';
import { type LoadRun, runLoad } from '../../src/load/run-load.ts';
import { checkStored } from '../../src/load/store/check-records.ts';
import { storeApplier } from '../../src/load/store/store-applier.ts';
import type { StoreOptions } from '../../src/load/store/store-options.ts';
import { undoLoad } from '../../src/load/undo-load.ts';
import type { OpenSite } from '../../src/site/start/open-site.ts';

/** A source of records in memory. Each has its name as its key, and its place as its row. */
export function sourceOf(
  records: readonly (Readonly<Record<string, unknown>> & { readonly doctype: string })[],
): LoadSource {
  return {
    id: 'test',
    label: 'test',
    total: records.length,
    async *records() {
      for (const [index, { doctype, ...values }] of records.entries()) {
        yield { doctype, key: String(values['name']), values, row: index + 1 } satisfies SourceRecord;
      }
    },
    part: () => null,
  };
}

/** The store applier for Administrator on the command line. */
export function storeOptions(site: OpenSite, options: Partial<StoreOptions> = {}): StoreOptions {
  return { site, user: ADMINISTRATOR, origin: COMMAND_LINE, mode: 'Insert', isCommandLine: true, ...options };
}

/** A new load of the loading operation. Resolves to its name. */
export function newLoad(site: OpenSite, { mode }: StoreOptions): Promise<string> {
  const load = { kind: 'Load', source: 'test', sourceId: 'test', format: 'test', mode } as const;
  return unitOfWork(site, ADMINISTRATOR, (ctx) => createLoad(ctx, load), COMMAND_LINE);
}

/** Loads records with the loading operation. */
export async function storeRecords(
  site: OpenSite,
  records: Parameters<typeof sourceOf>[0],
  options: Partial<StoreOptions> & Partial<Pick<LoadRun, 'load' | 'applier' | 'signal' | 'onProgress'>> = {},
): Promise<DataLoad> {
  const store = storeOptions(site, options);
  const load = options.load ?? (await newLoad(site, store));
  return runLoad({ site, source: sourceOf(records), applier: storeApplier(store), ...options, load });
}

/** Checks records as a load of them would begin, in a new `Data Load`. */
export async function checkRecords(
  site: OpenSite,
  records: Parameters<typeof sourceOf>[0],
  options: Partial<StoreOptions> = {},
): Promise<DataLoad> {
  const store = storeOptions(site, options);
  const load = await readLoad(site.database.reader, await newLoad(site, store));
  return checkStored(store, load, sourceOf(records), {});
}

/** Undoes a load of the loading operation. */
export function undoRecords(site: OpenSite, load: string): Promise<DataLoad> {
  return undoLoad({ site, load, applier: storeApplier(storeOptions(site)) });
}

/** The log of a load, as `kind field value: reason`. */
export async function logOf(site: OpenSite, { name }: DataLoad): Promise<string[]> {
  const problems = await readProblems(site.database.reader, name, { start: 0, limit: 100 });
  return problems.map(
    ({ kind, row, field, value, reason }) => `${kind} ${row} ${field} ${value.slice(0, 40)}: ${reason}`,
  );
}
