import type { Connection, Row } from '../db/database.ts';
import { lockByName } from '../db/named-lock.ts';
import { EMPTY, sql } from '../db/sql.ts';
import type { Context } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Fields } from '../kernel/value.ts';
import { type Content, dropContent, findContent, lockContent, shareContent } from './content.ts';
import { sniffImage } from './content-type.ts';
import { deleteUnused } from './delete-unused.ts';
import type { DeletedFile } from './deleted-file.ts';
import { fileUrl, urlName, withSuffix } from './file-name.ts';
import { quarantineContent } from './quarantine.ts';
import type { Storage, StoredObject } from './storage.ts';

/**
 * The stored bytes of a url: one row per url, as long as a File document has it. Several urls may share the
 * bytes.
 */
export interface StoredFile {
  readonly fileUrl: string;
  readonly storageKey: string;
  /** The name for display. */
  readonly fileName: string;
  /** An image type that may be displayed inline; '' for files that may only be downloaded. */
  readonly imageType: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly isPrivate: boolean;
  /** UTC. */
  readonly createdAt: string;
}

/** A url that this transaction has claimed, and so has locked. */
export interface ClaimedFile extends Omit<StoredFile, 'createdAt'> {
  /** The owner of the File; default: the user. */
  readonly owner?: string;
}

/** Stored bytes that no url uses yet. */
export interface UnclaimedContent {
  readonly storage: Storage;
  readonly storageKey: string;
  readonly stored: StoredObject;
}

// Six hex digits are almost always free, unless thousands of files share a name.
const URL_ATTEMPTS = 8;

export async function findStoredFile(db: Connection, url: string, lock = EMPTY): Promise<StoredFile | null> {
  const row = await db.get(
    sql`select file_url, storage_key, file_name, image_type, sha256, bytes, is_private, created_at
      from _stored_file where file_url = ${url}${lock}`,
  );
  return row ? fromRow(row) : null;
}

/**
 * Gives content its own url, in this transaction: its name if that is free, otherwise with a random suffix.
 * If the same bytes are stored with the same privacy, the url uses those, and the content is deleted; users
 * cannot notice. `former`: the url that it had before, and gets if that is free.
 * @throws ServiceError ServiceUnavailableError
 */
export async function claimUrl(
  ctx: Context,
  content: UnclaimedContent,
  fileName: string,
  isPrivate: boolean,
  former?: string,
): Promise<ClaimedFile> {
  const { storage, storageKey, stored } = content;
  const { sha256, bytes } = stored;
  const imageType = sniffImage(stored.head) ?? '';
  const key = await enterContent(ctx, storage, { storageKey, sha256, bytes }, isPrivate);
  const file = { storageKey: key, fileName, imageType, sha256, bytes, isPrivate };
  return { ...file, fileUrl: await enterUrl(ctx, file, former) };
}

// By the very object that is passed on, so that no other creation can use a claim.
const claims = new WeakMap<Fields, ClaimedFile>();

/** The fields of a new File with a claimed url. */
export function fieldsWithClaim(claimed: ClaimedFile, fields: Fields): Fields {
  const input = { ...fields, file_url: claimed.fileUrl };
  claims.set(input, claimed);
  return input;
}

/** The claimed url behind the fields of a new File; undefined for all other fields. */
export function claimBehind(fields: Fields): ClaimedFile | undefined {
  return claims.get(fields);
}

/**
 * Moves the bytes of a url, locked by `lockToMove`, to a url under the other prefix, and to an object that no
 * url of the former privacy uses. Resolves to the new url.
 */
export async function moveUrl(
  ctx: Context,
  storage: Storage,
  file: StoredFile,
  isPrivate: boolean,
): Promise<string> {
  await ctx.db.run(sql`delete from _stored_file where file_url = ${file.fileUrl}`);
  const storageKey = await contentOfPrivacy(ctx, storage, file, isPrivate);
  return enterUrl(ctx, { ...file, storageKey, isPrivate });
}

async function contentOfPrivacy(
  ctx: Context,
  storage: Storage,
  file: StoredFile,
  isPrivate: boolean,
): Promise<string> {
  if (await dropContent(ctx, file.storageKey)) {
    const key = await shareContent(ctx, file, isPrivate);
    if (key !== file.storageKey) await quarantineContent(ctx, storage, file);
    return key;
  }
  // Other urls keep the object, so this url uses the same bytes elsewhere or a copy. If another transaction
  // was faster, the copy is collected later.
  const same = await findContent(ctx, file.sha256, isPrivate);
  if (same !== null) return same;
  const storageKey = await ctx.beforehand(
    `copy of ${file.storageKey}`,
    () => copyObject(storage, file),
    (copy) => deleteUnused(storage, copy),
  );
  return enterContent(ctx, storage, { ...file, storageKey }, isPrivate);
}

async function enterContent(
  ctx: Context,
  storage: Storage,
  content: Content,
  isPrivate: boolean,
): Promise<string> {
  const key = await shareContent(ctx, content, isPrivate);
  if (key !== content.storageKey) ctx.afterCommit(() => deleteUnused(storage, content.storageKey));
  return key;
}

async function copyObject(storage: Storage, { storageKey, bytes }: Content): Promise<string> {
  const opened = await storage.open(storageKey);
  if (!opened) throw new ServiceError('DoesNotExistError', 'File not found');
  const copy = storage.newKey();
  await storage.put(copy, opened.body, { maxBytes: bytes });
  return copy;
}

/** Enters the first free url. It counts as new: links to an earlier file of this url do not open it. */
async function enterUrl(ctx: Context, file: Omit<ClaimedFile, 'fileUrl'>, former?: string): Promise<string> {
  const { storageKey, fileName, imageType, sha256, bytes, isPrivate } = file;
  const createdAt = formatTimestamp(ctx.site.clock.micros());
  const take = (url: string) =>
    ctx.db.run(
      sql`insert into _stored_file
          (file_url, storage_key, file_name, image_type, sha256, bytes, is_private, created_at)
        values (${url}, ${storageKey}, ${fileName}, ${imageType}, ${sha256}, ${bytes},
          ${isPrivate ? 1 : 0}, ${createdAt})
        on conflict do nothing`,
    );
  const name = urlName(fileName);
  let url = former ?? fileUrl(name, isPrivate);
  for (let attempt = 0; attempt < URL_ATTEMPTS; attempt += 1) {
    if ((await take(url)) > 0) return url;
    url = fileUrl(withSuffix(name, ctx.site.random.bytes(3).toString('hex')), isPrivate);
  }
  throw new ServiceError('ServiceUnavailableError', 'There is no unused URL for the file', {
    headers: { 'Retry-After': '1' },
  });
}

/**
 * Locks the row of `url` and its content against removal or a move until this transaction ends; null when
 * the url does not exist. Take this lock first to begin or end a use of the url.
 */
export async function lockStoredFile(db: Connection, url: string): Promise<StoredFile | null> {
  const file = await findStoredFile(db, url);
  if (!file || db.dialect.name === 'sqlite') return file;
  // The content first, in the same order as transactions that register it.
  await lockContent(db, file.storageKey);
  return findStoredFile(db, url, lockClause(db.dialect, 'change'));
}

/** The same, and locks the privacy of these bytes: two opposite changes at once would deadlock. */
export async function lockToMove(db: Connection, url: string): Promise<StoredFile | null> {
  const file = await findStoredFile(db, url);
  if (!file) return null;
  await lockByName(db, `moving ${file.sha256}`);
  return lockStoredFile(db, url);
}

/** Removes a locked url with its last File, and quarantines the bytes when no other url uses them. */
export async function dropStoredFile(
  ctx: Context,
  storage: Storage,
  stored: StoredFile,
  file: DeletedFile,
): Promise<void> {
  await ctx.db.run(sql`delete from _stored_file where file_url = ${stored.fileUrl}`);
  if (await dropContent(ctx, stored.storageKey)) await quarantineContent(ctx, storage, stored, file);
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
