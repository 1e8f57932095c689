import { ident, sql } from '../../db/sql.ts';
import { readContext } from '../../document/context.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { JOBS } from '../../kernel/jobs.ts';
import { DATA_LOAD, readLoad, writeLoad } from '../../load/data-load.ts';
import { runImport, undoImport, workerOf } from '../../load/save/run-import.ts';
import { uploadedFile } from '../../load/save/uploaded-file.ts';

const FIRST = 2_000;
/** A command that undoes a load writes its progress more often; microseconds. */
const LEFT = 60_000_000;

/**
 * Goes on with imports of uploaded files, and with undos, one after the other. What a stop or a kill interrupts, the
 * next start, or another server, goes on with.
 */
export function startImports(site: FileSite): () => Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const running = repeat(site, signal);
  return async () => {
    abort.abort();
    await running;
  };
}

async function repeat(site: FileSite, signal: AbortSignal): Promise<void> {
  const job = site.jobs.job('run_imports');
  for (let delay = FIRST; await job.due(delay, signal); delay = JOBS.run_imports) {
    try {
      await job.run(() => runAll(site, signal));
    } catch (error) {
      site.observe({ kind: 'unexpected', where: 'imports', error });
    }
  }
}

async function runAll(site: FileSite, signal: AbortSignal): Promise<number> {
  const done = new Set<string>();
  while (!signal.aborted) {
    const name = (await openLoads(site)).find((one) => !done.has(one));
    if (name === undefined) break;
    done.add(name);
    await runOne(site, name, signal);
  }
  return done.size;
}

/** Imports of uploaded files, undos that an operation began, and those that a command began and left. */
async function openLoads({ database, clock, config }: FileSite): Promise<readonly string[]> {
  const left = formatTimestamp(clock.micros() - LEFT, config.timeZone);
  const rows = await database.reader.all(
    sql`select "name" from ${ident(DATA_LOAD)} where
        ("status" = 'Undoing' and ("started" is null or "modified" < ${left}))
        or ("status" in ('Checking', 'Running') and "kind" = 'Import' and coalesce("import_file", '') <> '')
        order by "creation", "name"`,
  );
  return rows.map((row) => String(row['name']));
}

async function runOne(site: FileSite, name: string, signal: AbortSignal): Promise<void> {
  try {
    const load = await readLoad(site.database.reader, name);
    const worker = await workerOf(site, load);
    if (load.status === 'Undoing') {
      await undoImport(site, load, worker, signal);
      return;
    }
    const file = await uploadedFile(
      readContext(site, worker.user, worker.origin),
      site.storage,
      load.file ?? '',
    );
    await runImport({ site, load, file, ...worker, signal });
  } catch (error) {
    // The load says why it failed, as far as its run could tell.
    const reason = error instanceof Error ? error.message : String(error);
    await site.database.transaction((db) =>
      writeLoad(site, db, name, { status: 'Failed', error: reason }, ['Checking', 'Running', 'Undoing']),
    );
  }
}
