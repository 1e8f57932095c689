import { seal, unseal } from '../access/seal.ts';
import type { Database } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';
import type { Context, Site } from '../document/contract.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/** The stored reply to a request with an idempotency key. */
export interface StoredReply {
  /** A digest of the request: the same key must not be used for another one. */
  readonly digest: string;
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
  /** JSON: the user's rights at the time of the reply; null in a reply of an earlier version. */
  readonly rights: string | null;
}

/** The unexpired reply under a key, or null. */
export async function findReply(site: Site, key: string): Promise<StoredReply | null> {
  const row = await site.database.reader.get(
    sql`select "digest", "status", "etag", "body", "rights" from "_reply" where "key" = ${key} and "created_at" >= ${oldest(site)}`,
  );
  if (!row) return null;
  return {
    digest: String(row['digest']),
    status: Number(row['status']),
    etag: typeof row['etag'] === 'string' ? row['etag'] : null,
    body: unseal(site, String(row['body']), replyPlace(key)),
    rights: typeof row['rights'] === 'string' ? row['rights'] : null,
  };
}

/**
 * Claims a key for this transaction: the row is committed together with the transaction's other changes.
 * False when another transaction has stored a reply under the key meanwhile.
 * @throws ServiceError IdempotencyInProgressError while a request with the key is in flight, on any node
 */
export async function claimKey(ctx: Context, key: string, digest: string): Promise<boolean> {
  const { db, site } = ctx;
  // On SQLite there is one process, which knows its requests in flight.
  if (db.dialect.name === 'postgres') {
    const row = await db.get(
      sql`select pg_try_advisory_xact_lock(hashtextextended(${db.dialect.schema}::text || ' reply ' || ${key}::text, 0))::text
          as "taken"`,
    );
    if (row?.['taken'] !== 'true') throw inProgress();
  }
  await db.run(sql`delete from "_reply" where "key" = ${key} and "created_at" < ${oldest(site)}`);
  const inserted = await db.run(
    sql`insert into "_reply" ("key", "digest", "status", "etag", "body", "created_at")
        values (${key}, ${digest}, 0, ${null}, '', ${nowMillis(site.clock)}) on conflict ("key") do nothing`,
  );
  return inserted === 1;
}

/**
 * Stores the reply under a key from `claimKey`. It is encrypted, because it may hold a secret that the
 * request created.
 */
export async function storeReply(
  ctx: Context,
  key: string,
  { status, etag, body, rights }: Omit<StoredReply, 'digest'>,
): Promise<void> {
  const sealed = await seal(ctx.site, ctx.db, body, replyPlace(key));
  await ctx.db.run(
    sql`update "_reply" set "status" = ${status}, "etag" = ${etag}, "body" = ${sealed}, "rights" = ${rights}
        where "key" = ${key}`,
  );
}

/** Deletes one batch of expired replies. Resolves to their number. */
export async function pruneReplies(
  site: Pick<Site, 'clock'> & { readonly database: Database },
): Promise<number> {
  const rows = await site.database.reader.all(
    sql`select "key" from "_reply" where "created_at" < ${oldest(site)} order by "created_at" limit ${LIMITS.pruneBatch}`,
  );
  if (rows.length === 0) return 0;
  const keys = join(rows.map((row) => sql`${row['key'] ?? null}`));
  return site.database.transaction((db) => db.run(sql`delete from "_reply" where "key" in (${keys})`));
}

/** The refusal of a second request with a key while the first one is in flight. */
export function inProgress(): ServiceError {
  return new ServiceError(
    'IdempotencyInProgressError',
    'A request with this Idempotency-Key is in progress',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}

/** The authenticated data of a stored reply. */
export function replyPlace(key: string): string {
  return `reply|${key}`;
}

function oldest(site: Pick<Site, 'clock'>): number {
  return nowMillis(site.clock) - LIMITS.idempotencyWindow;
}
