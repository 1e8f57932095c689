import type { Connection, Row } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';
import type { Context } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { ServiceError } from '../kernel/errors.ts';

/** An object of the storage, and its content. */
export interface Content {
  readonly storageKey: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Rows per statement. */
const PAGE = 1_000;

/** The contents of files, without those in quarantine, in the order of their keys; in pages. */
export async function* contentPages(db: Pick<Connection, 'all'>): AsyncGenerator<readonly Content[]> {
  for (let last = ''; ; ) {
    const rows = await db.all(
      sql`select storage_key, sha256, bytes from _stored_content
        where swept_at is null and storage_key > ${last} order by storage_key limit ${PAGE}`,
    );
    if (rows.length > 0) yield rows.map(contentOf);
    if (rows.length < PAGE) return;
    last = String(rows.at(-1)?.['storage_key']);
  }
}

/** A row of `_stored_content`. */
export function contentOf(row: Row): Content {
  return {
    storageKey: String(row['storage_key']),
    sha256: String(row['sha256']),
    bytes: Number(row['bytes']),
  };
}

// Each further attempt needs a concurrent transaction that deletes these very bytes.
const ATTEMPTS = 20;

/**
 * Registers content, or finds an existing object with the same bytes and privacy. Resolves to the key of the
 * object to use, which stays until this transaction ends; if it is not `storageKey`, the caller's object is
 * not needed. A url must use it in this transaction.
 * @throws ServiceError ServiceUnavailableError when the object was given up meanwhile
 */
export async function shareContent(ctx: Context, content: Content, isPrivate: boolean): Promise<string> {
  const { storageKey, sha256, bytes } = content;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // Waits for the commit of a concurrent transaction that registers the same content.
    const entered = await ctx.db.run(
      sql`insert into _stored_content (storage_key, sha256, is_private, bytes)
        values (${storageKey}, ${sha256}, ${isPrivate ? 1 : 0}, ${bytes}) on conflict do nothing`,
    );
    if (entered > 0) return storageKey;
    const shared = await findContent(ctx, sha256, isPrivate);
    if (shared !== null) return shared;
    if ((await keysOf(ctx.db, [storageKey])).has(storageKey)) break;
  }
  throw new ServiceError('ServiceUnavailableError', 'The file took too long to arrive: send it again', {
    headers: { 'Retry-After': '1' },
  });
}

/** The key of the object with these bytes, locked until this transaction ends; null when there is none. */
export async function findContent(ctx: Context, sha256: string, isPrivate: boolean): Promise<string | null> {
  const lock = lockClause(ctx.db.dialect, 'change');
  const row = await ctx.db.get(
    sql`select storage_key from _stored_content
      where sha256 = ${sha256} and is_private = ${isPrivate ? 1 : 0}${lock}`,
  );
  return row ? String(row.storage_key) : null;
}

/**
 * Removes content that no url uses from the table; the caller registers it again or quarantines it. False
 * without effect while a url uses it.
 */
export async function dropContent(ctx: Context, storageKey: string): Promise<boolean> {
  await lockContent(ctx.db, storageKey);
  const url = await ctx.db.get(
    sql`select 1 as used from _stored_file where storage_key = ${storageKey} limit 1`,
  );
  if (url) return false;
  await ctx.db.run(sql`delete from _stored_content where storage_key = ${storageKey}`);
  return true;
}

/** Locks the content against a begin or end of use by other transactions. */
export async function lockContent(db: Connection, storageKey: string): Promise<void> {
  const lock = lockClause(db.dialect, 'change');
  await db.get(sql`select 1 as locked from _stored_content where storage_key = ${storageKey}${lock}`);
}

/**
 * The known ones among these keys: true for objects of files and unfinished uploads, false for those given
 * up. An object that a file refers to is never given up, whatever its row says.
 */
export async function keysOf(db: Connection, keys: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const among = sql`storage_key in (${join(keys.map((key) => sql`${key}`))})`;
  const contents = await db.all(sql`select storage_key, swept_at from _stored_content where ${among}`);
  const used = await db.all(
    sql`select storage_key from _stored_file where ${among}
        union all select storage_key from _partial_piece where ${among}`,
  );
  const known = new Map(contents.map((row) => [String(row.storage_key), row.swept_at === null]));
  for (const { storage_key: key } of used) known.set(String(key), true);
  return known;
}
