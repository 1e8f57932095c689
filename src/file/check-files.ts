import { createHash } from 'node:crypto';
import type { Connection } from '../db/database.ts';
import { ident, sql } from '../db/sql.ts';
import type { Site } from '../document/contract.ts';
import { contentPages, keysOf } from './content.ts';
import type { Storage } from './storage.ts';

/** An inconsistency of stored files. */
export interface FileProblem {
  /**
   * `missing`: the storage lacks the bytes. `damaged`: the bytes differ. `not stored`: a File names bytes
   * that were never stored. `without a File`: no File has these bytes. `left over`: an object that the server
   * will collect, or that is being uploaded.
   */
  readonly problem: 'missing' | 'damaged' | 'not stored' | 'without a File' | 'left over';
  /** A url of the object; null without one. */
  readonly url: string | null;
  /** Key in the storage, or name of the File if nothing is stored. */
  readonly place: string;
}

/** Numbers of checked items, updated during the check. */
export interface Checked {
  objects: number;
  bytes: number;
}

/**
 * Reads every stored object, compares its length and SHA-256 with the database, and looks for Files without
 * bytes and bytes without Files. May run beside a server: an item that changed meanwhile is checked again
 * before it is reported.
 */
export async function* checkFiles(
  site: Pick<Site, 'database'> & { readonly storage: Storage },
  checked: Checked = { objects: 0, bytes: 0 },
): AsyncGenerator<FileProblem> {
  const db = site.database.reader;
  for await (const page of contentPages(db)) {
    for (const { storageKey: key, sha256, bytes } of page) {
      const problem = await problemOf(site.storage, key, sha256, bytes);
      checked.objects += 1;
      checked.bytes += bytes;
      // The object may have been deleted while it was read.
      if (problem && (await keysOf(db, [key])).get(key))
        yield { problem, url: await urlOf(db, key), place: key };
    }
  }
  yield* unmatched(db);
  for await (const { key } of site.storage.list()) {
    // If the storage quarantines objects in place, those given up in the database are in quarantine.
    const state = (await keysOf(db, [key])).get(key);
    if (state === true || (state === false && !site.storage.quarantine)) continue;
    yield { problem: 'left over', url: null, place: key };
  }
}

async function problemOf(
  storage: Storage,
  key: string,
  sha256: string,
  bytes: number,
): Promise<'missing' | 'damaged' | null> {
  try {
    const opened = await storage.open(key);
    if (!opened) return 'missing';
    const hash = createHash('sha256');
    let length = 0;
    const pieces: AsyncIterable<Buffer> | Buffer[] = Buffer.isBuffer(opened.body)
      ? [opened.body]
      : opened.body;
    for await (const piece of pieces) {
      hash.update(piece);
      length += piece.length;
    }
    return length === bytes && hash.digest('hex') === sha256 ? null : 'damaged';
  } catch (error) {
    // An unreadable file on a disk is a finding; a store that does not answer ends the check.
    if (storage.pathOf && error instanceof Error && 'syscall' in error) return 'damaged';
    throw error;
  }
}

async function urlOf(db: Connection, key: string): Promise<string | null> {
  const row = await db.get(
    sql`select file_url from _stored_file where storage_key = ${key} order by file_url limit 1`,
  );
  return row ? String(row.file_url) : null;
}

async function* unmatched(db: Connection): AsyncGenerator<FileProblem> {
  const file = ident('File');
  const files = await db.all(
    sql`select name, file_url from ${file} where (file_url like '/files/%' or file_url like '/private/files/%')
      and not exists (select 1 from _stored_file where _stored_file.file_url = ${file}.file_url) order by name`,
  );
  for (const { name, file_url: url } of files) {
    yield { problem: 'not stored', url: String(url), place: String(name) };
  }
  const urls = await db.all(
    sql`select file_url, storage_key from _stored_file
      where not exists (select 1 from ${file} where ${file}.file_url = _stored_file.file_url) order by file_url`,
  );
  for (const { file_url: url, storage_key: key } of urls) {
    yield { problem: 'without a File', url: String(url), place: String(key) };
  }
  const contents = await db.all(
    sql`select storage_key from _stored_content as content where swept_at is null
      and not exists (select 1 from _stored_file where _stored_file.storage_key = content.storage_key)`,
  );
  for (const { storage_key: key } of contents) {
    yield { problem: 'without a File', url: null, place: String(key) };
  }
  const lost = await db.all(
    sql`select file_url, storage_key from _stored_file where not exists (select 1 from _stored_content as content
      where content.storage_key = _stored_file.storage_key and content.swept_at is null) order by file_url`,
  );
  for (const { file_url: url, storage_key: key } of lost) {
    yield { problem: 'missing', url: String(url), place: String(key) };
  }
}
