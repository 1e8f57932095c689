import type { Sql } from '../../db/sql.ts';
import { compilePlan } from '../../query/compile-count.ts';
import type { ListQuery } from '../../query/list-query.ts';
import type { Context } from '../contract.ts';
import { shapeOf } from './slow-query.ts';

/**
 * Estimates the rows of a list of which `counted` were counted before the count stopped. Null where the database
 * knows nothing about them, and for users who may not see all documents: the statistics cover the hidden ones too.
 */
export async function estimateRows(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  counted: number,
  most: number,
): Promise<number | null> {
  if (filter !== null || query.groups !== null || query.joined) return null;
  // Without a filter, SQLite has counted all.
  if (ctx.db.dialect.name === 'sqlite') return counted > most + 1 ? counted : null;
  // The planner knows how often values occur, and nothing about what they contain.
  if (shapeOf(query, 'count').other.length > 0) return null;
  const row = await ctx.db.get(compilePlan(query, ctx.db.dialect));
  const [{ Plan: plan }] = JSON.parse(String(row?.['QUERY PLAN'])) as [{ Plan: { 'Plan Rows': number } }];
  const rows = Math.round(plan['Plan Rows']);
  return rows > most ? rows : null;
}
