import { DamagedDatabase } from '../db/damaged.ts';
import type { Connection } from '../db/database.ts';
import { findDamage } from '../db/find-damage.ts';
import { ident, sql } from '../db/sql.ts';
import type { Site } from '../document/contract.ts';
import { contentPages } from '../file/content.ts';
import { LIMITS } from '../kernel/limits.ts';
import { compareDocuments } from './compare-documents.ts';
import { restoreDatabase } from './restore.ts';
import { openRestored } from './restored-reader.ts';
import { DamagedBackup } from './store/damaged-backup.ts';
import type { Manifest } from './store/manifest.ts';
import type { Repository } from './store/repository.ts';
import { missingObjects } from './verify.ts';

/** A rehearsal of a restore. */
export interface Rehearsing {
  readonly repository: Repository;
  readonly manifest: Manifest;
  /** An empty place for the database, which the caller removes. */
  readonly url: string;
  /** The site that was backed up: documents that have not changed since are compared with it. */
  readonly site: Pick<Site, 'database' | 'doctypes'>;
  /** The server stops: the rehearsal is broken off, and rejects. */
  readonly signal: AbortSignal;
}

/** What a rehearsal has found and read. */
export interface Rehearsed {
  /** The moment that was restored; milliseconds since the epoch. */
  readonly moment: number;
  readonly rows: number;
  readonly documents: number;
  readonly files: number;
  /** A line each; none: the backup can be restored. */
  readonly problems: readonly string[];
}

/**
 * Restores the database of a backup and reads it: every page, the number of rows of every table, some documents field
 * by field, the list of files, and the contents of some. Only the caller's scratch place is written. Nothing serves,
 * sends, mails or collects there, because only a reader opens it.
 */
export async function rehearse(rehearsing: Rehearsing): Promise<Rehearsed> {
  const { repository, manifest, url, signal } = rehearsing;
  const state = { moment: manifest.moment, rows: 0, documents: 0, files: 0 };
  const problems: string[] = [];
  const check = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (error instanceof DamagedBackup) problems.push(error.message);
      else if (error instanceof DamagedDatabase) problems.push(`the restored database: ${error.words}`);
      else throw error;
    }
  };
  await check(async () => {
    for (const name of await missingObjects(repository, manifest)) problems.push(`${name} is missing`);
  });
  await check(async () => {
    await restoreDatabase(repository, { manifest, at: null }, url, () => signal.throwIfAborted());
    const { connection, close } = await openRestored(url, signal);
    try {
      const { found } = await findDamage(connection);
      problems.push(...found.map((words) => `the restored database: ${words}`));
      await check(async () => {
        state.rows = await countRows(connection, manifest, problems);
      });
      await check(async () => {
        state.documents = await compareDocuments(connection, rehearsing.site, manifest, problems);
      });
      await check(() => lookForFiles(rehearsing, connection, problems));
      state.files = await readFiles(rehearsing, connection, check);
    } finally {
      await close();
    }
  });
  return { ...state, problems: shortened(problems) };
}

async function countRows(db: Connection, { rows }: Manifest, problems: string[]): Promise<number> {
  let total = 0;
  for (const [table, expected] of Object.entries(rows)) {
    const row = await db.get(sql`select count(*) as "count" from ${ident(table)}`);
    const count = Number(row?.['count']);
    total += count;
    if (count !== expected) problems.push(`${table} has ${count} rows, and the backup counted ${expected}`);
  }
  return total;
}

/** Files that the restored site would not have. */
async function lookForFiles(
  { repository, manifest }: Rehearsing,
  db: Connection,
  problems: string[],
): Promise<void> {
  const local = sql`(f."file_url" like '/files/%' or f."file_url" like '/private/files/%')`;
  const unstored = await db.all(
    sql`select f."name" from "File" f where f."is_folder" = 0 and ${local}
        and not exists (select 1 from "_stored_file" s where s."file_url" = f."file_url") limit ${MOST}`,
  );
  for (const { name } of unstored) problems.push(`File ${name} names no stored file`);
  const known = await repository.filesOf(manifest);
  for await (const page of contentPages(db)) {
    for (const { storageKey, sha256 } of page) {
      if (!known.has(repository.fileId(sha256))) {
        problems.push(`the stored file ${storageKey} is not in the backup`);
      }
    }
  }
}

/** Reads some contents; their digests are compared on the way. Resolves to their number. */
async function readFiles(
  { repository }: Rehearsing,
  db: Connection,
  check: (work: () => Promise<void>) => Promise<void>,
): Promise<number> {
  let [files, bytes] = [0, 0];
  await check(async () => {
    const rows = await db.all(
      sql`select "sha256", "bytes" from "_stored_content" where "swept_at" is null
          order by random() limit ${LIMITS.rehearsedFiles}`,
    );
    for (const row of rows) {
      bytes += Number(row['bytes']);
      if (files > 0 && bytes > LIMITS.rehearsedBytes) break;
      await check(async () => {
        const content = await repository.openFile(String(row['sha256']));
        // A missing one is among the missing objects.
        if (content) for await (const _ of content);
      });
      files += 1;
    }
  });
  return files;
}

const MOST = 100;

function shortened(problems: readonly string[]): readonly string[] {
  const told = [...new Set(problems)];
  return told.length <= MOST ? told : [...told.slice(0, MOST), `and ${told.length - MOST} more`];
}
