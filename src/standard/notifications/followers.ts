import { join, sql } from '../../db/sql.ts';
import type { Context, Site } from '../../document/contract.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { memo } from '../../kernel/memo.ts';

/** A document, as far as its followers are concerned. */
export interface FollowedDocument {
  readonly doctype: string;
  readonly name: string;
}

/**
 * The followers of documents. A doctype without followers costs its transactions one question in
 * `LIMITS.followersAge`. A follow on another node counts after this time at the latest.
 */
export async function followersOf(
  ctx: Context,
  documents: readonly FollowedDocument[],
): Promise<(doctype: string, name: string) => readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [doctype, alike] of Map.groupBy(documents, ({ doctype }) => doctype)) {
    if (!(await hasFollowers(ctx, doctype))) continue;
    const names = [...new Set(alike.map(({ name }) => name))];
    for (let start = 0; start < names.length; start += BATCH) {
      const batch = names.slice(start, start + BATCH).map((name) => sql`${name}`);
      const rows = await ctx.db.all(
        sql`select "ref_docname", "user" from "Document Follow"
            where "ref_doctype" = ${doctype} and "ref_docname" in (${join(batch)}) order by "user"`,
      );
      for (const row of rows) {
        const key = keyOf(doctype, String(row['ref_docname']));
        found.set(key, [...(found.get(key) ?? []), String(row['user'])]);
      }
    }
  }
  return (doctype, name) => found.get(keyOf(doctype, name)) ?? [];
}

/** Asks again at the next change, because a document may have its first follower. */
export function forgetFollowers(site: Site): void {
  known(site).clear();
}

/** Names per statement. */
const BATCH = 256;

/** By doctype: whether it has followers, and when that was asked, by `performance.now()`. */
const known = memo((_: Site) => new Map<string, { readonly at: number; readonly isFollowed: boolean }>());

async function hasFollowers(ctx: Context, doctype: string): Promise<boolean> {
  const kept = known(ctx.site);
  const now = performance.now();
  const former = kept.get(doctype);
  if (former && now - former.at < LIMITS.followersAge) return former.isFollowed;
  const row = await ctx.db.get(
    sql`select 1 as "one" from "Document Follow" where "ref_doctype" = ${doctype} limit 1`,
  );
  kept.set(doctype, { at: now, isFollowed: row !== undefined });
  return row !== undefined;
}

function keyOf(doctype: string, name: string): string {
  return JSON.stringify([doctype, name]);
}
