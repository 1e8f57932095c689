import type { Connection } from '../../db/database.ts';
import { quote } from '../../db/ddl.ts';
import { Sql, type Statement } from '../../db/sql.ts';
import { renderSqlite } from '../../db/sqlite/dialect.ts';
import { PinnedThread } from '../../db/sqlite/pinned-thread.ts';
import { readRaw } from '../../db/sqlite/raw-file.ts';
import { WriteAheadLog } from '../../db/sqlite/write-ahead-log.ts';
import { contentPages } from '../../file/content.ts';
import { type Clock, nowMillis } from '../../kernel/clock.ts';
import type { CopiedFile, DatabaseProgress, EngineCopy } from '../engine.ts';
import type { SqliteCopy } from '../store/manifest.ts';
import type { Repository } from '../store/repository.ts';
import { encodePages, PART_BYTES, pagesPerPart } from './page-images.ts';

/** Parts that are read, compressed and stored at once. Node compresses on four threads. */
const PARTS_AT_ONCE = 4;

interface SqliteSource {
  readonly path: string;
  readonly clock: Clock;
  /** Opens the state and tells its place in the continuous log. Without it there is no such log. */
  readonly pin?: (open: () => Promise<PinnedThread>) => Promise<PinnedInLog>;
}

interface PinnedInLog {
  readonly state: PinnedThread;
  readonly log: SqliteCopy['log'];
}

/**
 * Copies a running SQLite database, in the process that writes to it or beside it. A read transaction keeps one
 * state. Meanwhile a checkpoint may change pages of the file, but only to what they are in this state, so the file
 * and the newest images of pages in the log are together exactly this state. The list of files is read before the
 * state is given up: copying them may take hours, and the log would grow meanwhile.
 */
export function sqliteEngine({ path, clock, pin = pinAlone }: SqliteSource): EngineCopy {
  return {
    async copy(repository, progress) {
      const moment = nowMillis(clock);
      const { state, log } = await pin(() => PinnedThread.open(path));
      try {
        const { pages, pageSize } = state.facts;
        const parts = await copyFile(path, pages * pageSize, repository, progress);
        const overlay = await copyLog(path, state, repository);
        const copy: SqliteCopy = { pageSize, pages, parts, overlay, log };
        return { copy, moment, rows: await countRows(state), files: eachOf(await listFiles(state)) };
      } finally {
        await state.close();
      }
    },
  };
}

async function pinAlone(open: () => Promise<PinnedThread>): Promise<PinnedInLog> {
  return { state: await open(), log: null };
}

type Parts = Pick<Repository, 'putPart'>;

/** The file may be shorter than the database, whose last pages are then in the log. */
async function copyFile(path: string, bytes: number, parts: Parts, progress: DatabaseProgress) {
  const ids: string[] = [];
  let next = 0;
  let done = 0;
  const copyParts = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafeSlow(PART_BYTES);
    while (next * PART_BYTES < bytes) {
      const part = next;
      next += 1;
      const start = part * PART_BYTES;
      const read = await readRaw(path, buffer.subarray(0, Math.min(PART_BYTES, bytes - start)), start);
      if (read === 0) return;
      ids[part] = await parts.putPart(buffer.subarray(0, read));
      done += read;
      progress(done, bytes);
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, copyParts));
  return ids;
}

/** Frames that a checkpoint has copied are in the file. */
async function copyLog(path: string, { facts }: PinnedThread, parts: Parts): Promise<string[]> {
  const { place, copied, pageSize } = facts;
  const log = new WriteAheadLog(path, pageSize);
  try {
    const changed = await log.changes(place, copied);
    const ids: string[] = [];
    const most = pagesPerPart(pageSize);
    for (let first = 0; first < changed.length; first += most) {
      const pages = await log.images(place, changed.slice(first, first + most));
      ids.push(await parts.putPart(encodePages(pages)));
    }
    return ids;
  } finally {
    log.close();
  }
}

type State = Pick<PinnedThread, 'all'>;

async function countRows(state: State): Promise<Readonly<Record<string, number>>> {
  const tables = await state.all(
    statement(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    ),
  );
  const counts: [string, number][] = [];
  for (const table of tables) {
    const name = String(table['name']);
    const [row] = await state.all(statement(`select count(*) as n from ${quote(name)}`));
    counts.push([name, Number(row?.['n'])]);
  }
  return Object.fromEntries(counts);
}

/** As JSON in buffers, which take a third of the memory of objects. */
async function listFiles(state: State): Promise<readonly Buffer[]> {
  if (!(await hasFiles(state))) return [];
  const all: Connection['all'] = async (query) => [
    ...(await state.all(query instanceof Sql ? renderSqlite(query) : query)),
  ];
  const pages: Buffer[] = [];
  for await (const page of contentPages({ all })) pages.push(Buffer.from(JSON.stringify(page)));
  return pages;
}

/** A database without a site, as in tests, has no files. */
async function hasFiles(state: State): Promise<boolean> {
  const found = await state.all(statement(`select 1 from sqlite_schema where name = '_stored_content'`));
  return found.length > 0;
}

async function* eachOf(pages: readonly Buffer[]): AsyncGenerator<CopiedFile> {
  for (const page of pages) yield* JSON.parse(page.toString()) as CopiedFile[];
}

function statement(text: string): Statement {
  return { text, values: [] };
}
