import { ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType, Right } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Context } from '../contract.ts';
import type { Named } from '../leaving.ts';
import { knownReferrers, LINK_EFFECTS, type LinkEffect, rowsWith } from '../list/referrers.ts';
import { load } from '../load/load.ts';
import { hasRightOn } from '../load/rights-on.ts';
import { needsLinksTo } from '../write/empty-links.ts';
import { readDocument } from './read.ts';

/** A document that links to another. */
export interface LinkedDocument {
  readonly name: string;
  readonly docstatus: number;
  /** As stored. */
  readonly modified: string;
  /** The effect of a deletion by this user, as far as they may know the links. */
  readonly effect: LinkEffect;
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
  const effects = LINK_EFFECTS.map(
    (effect) => [effect, knownReferrers(ctx, target, (link) => rowsWith(effect, link))] as const,
  );
  for (const [doctype, condition] of knownReferrers(ctx, target)) {
    const cases = effects.flatMap(([effect, of]) => {
      const rows = of.get(doctype);
      return rows ? sql`when ${rows} then ${effect}` : [];
    });
    const linked = await linkedOf(ctx, target, doctype, condition, cases);
    if (linked.count > 0) found.push(linked);
  }
  return found;
}

async function linkedOf(
  ctx: Context,
  target: Named,
  doctype: DocType,
  condition: Sql,
  effects: readonly Sql[],
): Promise<LinkedDocuments> {
  const where = sql`where ${condition}`;
  const table = ident(doctype.name);
  const effect = effects.length === 0 ? sql`null` : sql`case ${join(effects, ' ')} end`;
  const counted = await ctx.db.get(sql`
    select count(*) as "count" from (select 1 as "one" from ${table} ${where} limit ${LIMITS.countCap + 1}) as "some"`);
  const found = Number(counted?.['count'] ?? 0);
  const [count, isCapped] = [Math.min(found, LIMITS.countCap), found > LIMITS.countCap];
  if (count === 0) return { doctype: doctype.name, count, isCapped, first: [] };
  const rows = await ctx.db.all(
    sql`select "name", "docstatus", "modified", ${effect} as "effect" from ${table} ${where}
        order by "modified" desc, "name" limit ${LIMITS.linkedNames}`,
  );
  const first: LinkedDocument[] = [];
  for (const row of rows) {
    const name = String(row['name']);
    const planned = LINK_EFFECTS.find((one) => one === row['effect']) ?? 'unaffected';
    const effect = (await isPossible(ctx, target, doctype, name, planned)) ? planned : 'blocks';
    first.push({ name, docstatus: Number(row['docstatus']), modified: String(row['modified']), effect });
  }
  return { doctype: doctype.name, count, isCapped, first };
}

// Mandatory values are asked only by those who may change the document: a save would answer them too.
async function isPossible(
  ctx: Context,
  target: Named,
  doctype: DocType,
  name: string,
  effect: LinkEffect,
): Promise<boolean> {
  const right = RIGHT_FOR[effect];
  if (right && !(await hasRightOn(ctx, doctype, name, right))) return false;
  if (effect !== 'emptied') return true;
  const stored = await load(ctx, doctype, name);
  return stored === null || !(await needsLinksTo(ctx, target, doctype, stored));
}

/** The right that an effect on a document needs. */
const RIGHT_FOR: Readonly<Partial<Record<LinkEffect, Right>>> = { deleted: 'delete', emptied: 'write' };
