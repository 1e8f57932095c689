import { OWN_WORK, type Provenance } from '../../access/audit.ts';
import { loadUser } from '../../access/load-user.ts';
import { ADMINISTRATOR, type CurrentUser } from '../../access/user.ts';
import { ident, join, type Sql, sql } from '../../db/sql.ts';
import { timestamp } from '../../document/context.ts';
import { findStoredFile } from '../../file/stored-file.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { JOBS, type Job } from '../../kernel/jobs.ts';
import type { Applier, LoadOfApplier } from '../applier.ts';
import { DATA_LOAD, type DataLoad, readLoad, writeLoad } from '../data-load.ts';
import { ndjsonSource, type SourceFile } from '../ndjson-source.ts';
import type { LoadSource } from '../record.ts';
import { runLoad } from '../run-load.ts';
import { storeApplier } from '../store/store-applier.ts';
import { undoLoad } from '../undo-load.ts';

/** What a run of a load on a server needs. */
export interface OpenedLoad {
  readonly source: LoadSource;
  readonly applier: (of: LoadOfApplier) => Applier;
}

/** Makes what a load of one kind needs, as its owner. @throws ServiceError */
export type OpenLoad = (site: FileSite, load: DataLoad, owner: CurrentUser) => Promise<OpenedLoad>;

/** How a server opens the loads of each kind. */
export type LoadOpeners = Readonly<Partial<Record<DataLoad['kind'], OpenLoad>>>;

/**
 * Runs the loads of this site that read a file of it, until it is stopped: those that run, and those that are being
 * undone. After a restart, or on another server, a load goes on where it was. Loads from the command line run there.
 */
export function startLoads(site: FileSite, openers: LoadOpeners): () => Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const running = repeat(site.jobs.job('run_loads'), signal, async () => {
    try {
      return await runDueLoads(site, openers, signal);
    } catch (error) {
      site.observe({ kind: 'unexpected', where: 'run loads', error });
      throw error;
    }
  });
  return async () => {
    abort.abort();
    await running;
  };
}

async function repeat(job: Job, signal: AbortSignal, work: () => Promise<number>): Promise<void> {
  while (await job.due(JOBS.run_loads, signal)) await job.run(work).catch(() => {});
}

/** Milliseconds after which a run counts as killed; a run writes its progress every second. */
const QUIET = 30_000;

/** Runs every due load to its end, its pause, or the abort. Resolves to their number. */
export async function runDueLoads(
  site: FileSite,
  openers: LoadOpeners,
  signal: AbortSignal,
): Promise<number> {
  let ran = 0;
  const due = await site.database.reader.all(
    sql`select "name" from ${ident(DATA_LOAD)} where ${isDue(site, openers)} order by "creation", "name"`,
  );
  for (const { name } of due) {
    if (signal.aborted) break;
    const runner = await claim(site, openers, String(name));
    if (runner === null) continue;
    await runOne(site, openers, await readLoad(site.database.reader, String(name)), { runner, signal });
    ran += 1;
  }
  await forgetDeletedLoads(site);
  return ran;
}

/** True for a load that nobody works on: a run that has not written its progress for some time was killed. */
function isDue({ clock, config }: FileSite, openers: LoadOpeners): Sql {
  const kinds = join(Object.keys(openers).map((kind) => sql`${kind}`));
  const quiet = formatTimestamp(clock.micros() - QUIET * 1_000, config.timeZone);
  return sql`"kind" in (${kinds}) and "import_file" is not null and "import_file" <> '' and "status" in ('Running', 'Undoing')
    and (coalesce("runner", '') = '' or "modified" < ${quiet})`;
}

/** Keeps other servers away from a load. Resolves to the name of the run; null when another one was faster. */
async function claim(site: FileSite, openers: LoadOpeners, name: string): Promise<string | null> {
  const runner = site.random.hash(10);
  const changed = await site.database.transaction((db) =>
    db.run(
      sql`update ${ident(DATA_LOAD)} set "runner" = ${runner}, "modified" = ${timestamp(site)}
          where "name" = ${name} and ${isDue(site, openers)}`,
    ),
  );
  return changed > 0 ? runner : null;
}

/** An error of one load is shown in it, and does not stop the others. */
async function runOne(
  site: FileSite,
  openers: LoadOpeners,
  load: DataLoad,
  claimed: { readonly runner: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const open = openers[load.kind];
    if (!open)
      throw new ServiceError('ValidationError', `This server cannot run a load of kind ${load.kind}`);
    const { source, applier } = await open(site, load, await ownerOf(site, load));
    const run = { site, load: load.name, applier, ...claimed };
    if (load.status === 'Undoing') await undoLoad(run);
    else await runLoad({ ...run, source });
  } catch (error) {
    if (!(error instanceof ServiceError)) site.observe({ kind: 'unexpected', where: 'run loads', error });
    const reason = error instanceof Error ? error.message : String(error);
    await site.database.transaction((db) =>
      writeLoad(site, db, load.name, { status: 'Failed', error: reason }, ['Running', 'Undoing']),
    );
  }
}

/** @throws ServiceError PermissionError when the owner may not work here any more */
async function ownerOf({ database }: FileSite, { owner }: DataLoad): Promise<CurrentUser> {
  if (owner === ADMINISTRATOR.name) return ADMINISTRATOR;
  const user = await loadUser(database.reader, owner, true);
  if (user) return user;
  throw new ServiceError('PermissionError', `${owner}, who started this load, is disabled`);
}

/** Opens a load of the loading operation: NDJSON, by a System Manager. */
export const openStoreLoad: OpenLoad = async (site, load, user) => {
  if (!user.isAdministrator && !user.roles.has('System Manager')) {
    throw new ServiceError('PermissionError', 'Only a System Manager loads documents as they were');
  }
  const { skip_existing, events } = load.options;
  const { mode } = load;
  const origin: Provenance = OWN_WORK;
  const source = ndjsonSource(await storedSource(site, load));
  return {
    source,
    applier: storeApplier({
      ...{ site, user, origin, mode },
      skipExisting: skip_existing === true,
      events: events === true,
    }),
  };
};

/** The file of a load in the file storage. @throws ServiceError DoesNotExistError */
export async function storedSource(site: FileSite, { file, source }: DataLoad): Promise<SourceFile> {
  const stored = file === null ? null : await findStoredFile(site.database.reader, file);
  if (!stored)
    throw new ServiceError('DoesNotExistError', `The file ${file} of this load is not there any more`);
  return {
    name: source,
    size: stored.bytes,
    fingerprint: stored.sha256,
    async *open() {
      const opened = await site.storage.open(stored.storageKey);
      if (!opened) throw new ServiceError('DoesNotExistError', `The bytes of ${file} are not there any more`);
      if (opened.body instanceof Uint8Array) yield opened.body;
      else yield* opened.body as AsyncIterable<Uint8Array>;
    },
  };
}

/** Rows of one batch. */
const BATCH = 5_000;

/** Deletes the ledger and the log of a load whose `Data Load` is gone. */
async function forgetDeletedLoads({ database }: FileSite): Promise<void> {
  for (const table of ['_load_row', '_load_problem'] as const) {
    const row = await database.reader.get(
      sql`select "load" from ${ident(table)} as "l" where not exists
          (select 1 from ${ident(DATA_LOAD)} as "d" where "d"."name" = "l"."load") limit 1`,
    );
    if (!row) continue;
    const load = String(row['load']);
    await database.transaction((db) =>
      db.run(
        sql`delete from ${ident(table)} where "load" = ${load} and "seq" <= (select max("seq") from (select "seq"
            from ${ident(table)} where "load" = ${load} order by "seq" limit ${BATCH}) as "first")`,
      ),
    );
  }
}
