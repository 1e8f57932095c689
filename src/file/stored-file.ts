import type { Connection, Row } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Context } from '../document/context.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { sniffImage } from './content-type.ts';
import { fileUrl, urlName, withSuffix } from './file-name.ts';
import type { StoredObject } from './storage.ts';

/** Which bytes a url of this site means: one row per url, as long as a File document has it. */
export interface StoredFile {
  readonly fileUrl: string;
  readonly storageKey: string;
  /** As a person named it. */
  readonly fileName: string;
  /** An image type that may be shown in place; '' for everything that may only be downloaded. */
  readonly imageType: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly isPrivate: boolean;
  /** UTC. */
  readonly createdAt: string;
}

/** Bytes that lie in the storage but that no url means yet. */
export interface UnclaimedContent {
  readonly storageKey: string;
  readonly stored: StoredObject;
}

// Six hex digits are free at once unless thousands of files share a name.
const URL_ATTEMPTS = 8;

export async function findStoredFile(db: Connection, url: string): Promise<StoredFile | null> {
  const row = await db.get(
    sql`select file_url, storage_key, file_name, image_type, sha256, bytes, is_private, created_at
      from _stored_file where file_url = ${url}`,
  );
  return row ? fromRow(row) : null;
}

/**
 * Gives content a url of its own, in this transaction: its name when that is free, otherwise with a random suffix.
 * Resolves to the url.
 */
export async function claimUrl(
  ctx: Context,
  content: UnclaimedContent,
  fileName: string,
  isPrivate: boolean,
): Promise<string> {
  const { storageKey, stored } = content;
  const imageType = sniffImage(stored.head) ?? '';
  const createdAt = formatTimestamp(ctx.site.clock.micros());
  return firstFree(ctx, fileName, isPrivate, (url) =>
    ctx.db.run(
      sql`insert into _stored_file
          (file_url, storage_key, file_name, image_type, sha256, bytes, is_private, created_at)
        values (${url}, ${storageKey}, ${fileName}, ${imageType}, ${stored.sha256}, ${stored.bytes},
          ${isPrivate ? 1 : 0}, ${createdAt})
        on conflict do nothing`,
    ),
  );
}

/** Gives stored content another url, under the other prefix. Resolves to the new url. */
export async function moveUrl(ctx: Context, file: StoredFile, isPrivate: boolean): Promise<string> {
  return firstFree(ctx, file.fileName, isPrivate, (url) =>
    ctx.db.run(
      sql`update _stored_file set file_url = ${url}, is_private = ${isPrivate ? 1 : 0}
        where file_url = ${file.fileUrl} and not exists (select 1 from _stored_file where file_url = ${url})`,
    ),
  );
}

async function firstFree(
  ctx: Context,
  fileName: string,
  isPrivate: boolean,
  take: (url: string) => Promise<number>,
): Promise<string> {
  const name = urlName(fileName);
  let url = fileUrl(name, isPrivate);
  for (let attempt = 0; attempt < URL_ATTEMPTS; attempt += 1) {
    if ((await take(url)) > 0) return url;
    url = fileUrl(withSuffix(name, ctx.site.random.bytes(3).toString('hex')), isPrivate);
  }
  throw new ServiceError('ServiceUnavailableError', 'No free url for the file', {
    headers: { 'Retry-After': '1' },
  });
}

/**
 * Keeps the row of `url` from being removed or moved by anyone else until this transaction ends; false when there is
 * none. Whoever begins or ends a use of the content takes it first.
 */
export async function lockStoredFile(db: Connection, url: string): Promise<boolean> {
  // An update that changes nothing locks the row on every engine.
  return (await db.run(sql`update _stored_file set bytes = bytes where file_url = ${url}`)) > 0;
}

export async function dropStoredFile(db: Connection, url: string): Promise<void> {
  await db.run(sql`delete from _stored_file where file_url = ${url}`);
}

/** True when the url's content belongs to someone: some committed or coming document has the key. */
export async function isKeyInUse(db: Connection, storageKey: string): Promise<boolean> {
  return (
    (await db.get(sql`select 1 as found from _stored_file where storage_key = ${storageKey}`)) !== undefined
  );
}

function fromRow(row: Row): StoredFile {
  return {
    fileUrl: String(row.file_url),
    storageKey: String(row.storage_key),
    fileName: String(row.file_name),
    imageType: String(row.image_type),
    sha256: String(row.sha256),
    bytes: Number(row.bytes),
    isPrivate: row.is_private === 1,
    createdAt: String(row.created_at),
  };
}
