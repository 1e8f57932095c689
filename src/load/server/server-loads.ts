import { ident, type Sql, sql } from '../../db/sql.ts';
import { lockClause } from '../../document/lock.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { JOBS, type Job } from '../../kernel/jobs.ts';
import { DATA_LOAD, type DataLoad, readLoad, writeLoad } from '../data-load.ts';
import { undoLoad } from '../undo-load.ts';
import { type Claimed, runClaimed, undoApplier, workerOf } from './run-claimed.ts';

/**
 * Runs the loads of this site that read a file of it, until it is stopped: those that run, and those that are being
 * undone. After a restart, or on another server, a load goes on where it was. Loads from the command line run there.
 */
export function startLoads(site: FileSite): () => Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const running = repeat(site.jobs.job('run_loads'), signal, async () => {
    try {
      return await runDueLoads(site, signal);
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

/** Runs every due load to its end, its pause, or the abort. Resolves to the number of those it found. */
export async function runDueLoads(site: FileSite, signal: AbortSignal): Promise<number> {
  const ran = new Set<string>();
  while (!signal.aborted) {
    const due = await site.database.reader.all(
      sql`select "name" from ${ident(DATA_LOAD)} where ${isDue(site)} order by "creation", "name"`,
    );
    const name = due.map((row) => String(row['name'])).find((one) => !ran.has(one));
    if (name === undefined) break;
    ran.add(name);
    const runner = site.random.hash(10);
    const load = await claim(site, name, runner);
    if (load !== null) await runOne(site, load, { runner, signal });
  }
  await forgetDeletedLoads(site);
  return ran.size;
}

/** True for a load that nobody works on: a run that has not written its progress for some time was killed. */
function isDue({ clock, config }: FileSite): Sql {
  const quiet = formatTimestamp(clock.micros() - QUIET * 1_000, config.timeZone);
  return sql`("status" = 'Undoing'
      or ("status" in ('Checking', 'Running') and "import_file" is not null and "import_file" <> ''))
    and (coalesce("runner", '') = '' or "modified" < ${quiet})`;
}

/** Keeps other servers away from a load. Resolves to the load; null when another one was faster. */
function claim(site: FileSite, name: string, runner: string): Promise<DataLoad | null> {
  return site.database.transaction(async (db) => {
    const due = await db.get(
      sql`select 1 as "one" from ${ident(DATA_LOAD)} where "name" = ${name} and ${isDue(site)}
          ${lockClause(db.dialect, 'remove')}`,
    );
    if (!due) return null;
    await writeLoad(site, db, name, { runner });
    return readLoad(db, name);
  });
}

/** An error of one load is shown in it, and does not stop the others. */
async function runOne(site: FileSite, load: DataLoad, claimed: Claimed): Promise<void> {
  const { database } = site;
  try {
    const worker = await workerOf(site, load);
    if (load.status === 'Undoing') {
      await undoLoad({ site, load: load.name, applier: undoApplier(site, load, worker), ...claimed });
    } else await runClaimed(site, load, worker, claimed);
  } catch (error) {
    if (!(error instanceof ServiceError)) site.observe({ kind: 'unexpected', where: 'run loads', error });
    const failed = {
      status: 'Failed',
      runner: '',
      error: error instanceof Error ? error.message : String(error),
    };
    await database.transaction((db) =>
      writeLoad(site, db, load.name, failed, ['Checking', 'Running', 'Undoing'], claimed.runner),
    );
  }
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
