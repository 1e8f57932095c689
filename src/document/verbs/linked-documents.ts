import { ident, type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Context } from '../contract.ts';
import { knownReferrers } from '../list/referrers.ts';
import { readDocument } from './read.ts';

/** A document that links to another. */
export interface LinkedDocument {
  readonly name: string;
  readonly docstatus: number;
  /** As stored. */
  readonly modified: string;
}

/** The documents of one doctype that link to a document and that the user may read. */
export interface LinkedDocuments {
  readonly doctype: string;
  /** At most `LIMITS.countCap`. */
  readonly count: number;
  /** The exact number is above `count`. */
  readonly isCapped: boolean;
  /** The last changed ones, at most `LIMITS.linkedNames`. */
  readonly first: readonly LinkedDocument[];
}

/**
 * The documents that link to a document, by Link and Dynamic Link, in fields and in rows (which count as
 * their parent). Counts only documents that the user may read and links that the user may see, and no records
 * about documents, such as comments.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function linkedDocuments(
  ctx: Context,
  doctypeName: string,
  name: string,
): Promise<LinkedDocuments[]> {
  const target = await readDocument(ctx, doctypeName, name);
  const found: LinkedDocuments[] = [];
  for (const [doctype, condition] of knownReferrers(ctx, target)) {
    const linked = await linkedOf(ctx, doctype, condition);
    if (linked.count > 0) found.push(linked);
  }
  return found;
}

async function linkedOf(ctx: Context, doctype: DocType, condition: Sql): Promise<LinkedDocuments> {
  const where = sql`where ${condition}`;
  const table = ident(doctype.name);
  const counted = await ctx.db.get(sql`
    select count(*) as "count" from (select 1 as "one" from ${table} ${where} limit ${LIMITS.countCap + 1}) as "some"`);
  const found = Number(counted?.['count'] ?? 0);
  const [count, isCapped] = [Math.min(found, LIMITS.countCap), found > LIMITS.countCap];
  if (count === 0) return { doctype: doctype.name, count, isCapped, first: [] };
  const rows = await ctx.db.all(
    sql`select "name", "docstatus", "modified" from ${table} ${where}
        order by "modified" desc, "name" limit ${LIMITS.linkedNames}`,
  );
  const first = rows.map((row) => ({
    name: String(row['name']),
    docstatus: Number(row['docstatus']),
    modified: String(row['modified']),
  }));
  return { doctype: doctype.name, count, isCapped, first };
}
