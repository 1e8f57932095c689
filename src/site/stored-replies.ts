import type { Database } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';
import type { Context, Site } from '../document/context.ts';
import { seal, unseal } from '../document/seal.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/** What was answered to a request that carried an idempotency key. */
export interface StoredReply {
  /** Of the request: the same key may not stand for another one. */
  readonly digest: string;
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
  /** JSON: what the user could see when it was given; null for one of an earlier version. */
  readonly rights: string | null;
}

/** The reply stored under a key that is not too old, or null. */
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
 * Takes a key for this transaction: the row is there when, and only when, the transaction's other changes are. False
 * when another transaction has answered under it meanwhile.
 * @throws ServiceError IdempotencyInProgressError when one is just running, on whatever node
 */
export async function claimKey(ctx: Context, key: string, digest: string): Promise<boolean> {
  const { db, site } = ctx;
  // On SQLite there is one process, which knows what it is running.
  if (db.dialect.name === 'postgres') {
    const row = await db.get(
      sql`select pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' reply ' || ${key}::text, 0))::text
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

/** Puts the reply under a key that `claimKey` took. It may hold a secret made by the request, so it is encrypted. */
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

/** Deletes one batch of replies that are too old to be asked for again. Resolves to how many. */
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

/** The answer to a second request with a key while the first one runs. */
export function inProgress(): ServiceError {
  return new ServiceError(
    'IdempotencyInProgressError',
    'A request with this Idempotency-Key is being answered',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}

/** What is authenticated with a stored reply. */
export function replyPlace(key: string): string {
  return `reply|${key}`;
}

function oldest(site: Pick<Site, 'clock'>): number {
  return nowMillis(site.clock) - LIMITS.idempotencyWindow;
}
