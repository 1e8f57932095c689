import { rowFilter } from '../../access/row-filter.ts';
import { type RowRule, ruleOf } from '../../access/row-rule.ts';
import type { Sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { tableOf } from '../../doctype/schema-plan.ts';
import { memo, memo2 } from '../../kernel/memo.ts';
import { compileCappedCount } from '../../query/compile-count.ts';
import type { ListQuery, OrderTerm } from '../../query/list-query.ts';
import type { ListRow } from '../../query/present-rows.ts';
import type { Context } from '../contract.ts';

/** The most documents that a walk reads: some milliseconds. */
const MOST = 4_000;
/** The figures of a rule are valid for this time; microseconds. */
const KNOWN = 60_000_000;

interface Figures {
  /** The documents that the rule permits, at most `MOST`. */
  readonly permitted: number;
  readonly until: number;
  /** A page that ends here, or later, was not found by a walk. */
  tooFar: number;
}

const figures = memo((_: RowRule): { current: Figures | null } => ({ current: null }));

/**
 * Reads a page of a user with User Permissions on SQLite: documents in the order of the list, until it is full.
 * SQLite itself would look up and sort all permitted documents, because it knows neither their number nor that
 * the page is short. A walk reads at most as many documents as that. One that does not fill the page is not
 * tried again for a while. `read` gets that number, and returns null for a page that is not full. Null when the
 * list's own statement has to answer.
 */
export async function walk<T>(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  read: (most: number) => Promise<T | null>,
): Promise<T | null> {
  const { start, limit } = query;
  if (ctx.db.dialect.name !== 'sqlite' || limit === null || filter === null) return null;
  const rule = walkedRule(ctx, query);
  if (!rule) return null;
  const end = start + limit;
  const known = await figuresOf(ctx, query, rule);
  if (end >= known.permitted || end >= known.tooFar) return null;
  const page = await read(known.permitted);
  if (page === null) known.tooFar = end;
  return page;
}

/** The rows of a full page; null for a shorter one. */
export function fullPage({ limit }: ListQuery, rows: ListRow[]): ListRow[] | null {
  return rows.length === limit ? rows : null;
}

/** The rule of a list whose documents can be read in order from an index, and looked up by a link; or null. */
function walkedRule(ctx: Context, query: ListQuery): RowRule | null {
  const { doctype, selection, filters, orFilters, nested, groups, joined } = query;
  if (ctx.user.grants === null || selection.select !== 'columns' || groups !== null || joined) return null;
  if (filters.length + orFilters.length + nested.length > 0 || doctype.rowsFrom !== 'table') return null;
  const rule = ruleOf(ctx.user, doctype, 'read', ctx.doctypes);
  // Owners have no index, and rows of children are no links of the document: SQLite reads those lists in order.
  const isLookedUp = rule?.all && !rule.own && rule.restrictions.every(({ table }) => table === null);
  return isLookedUp && isIndexed(doctype, query.order) ? rule : null;
}

// Equal requests share one order object.
const isIndexed = memo2((doctype: DocType, order: readonly OrderTerm[]): boolean => {
  const names = order.map((term) => (term.by === undefined ? term.column.fieldname : ''));
  return (
    new Set(order.map(({ direction }) => direction)).size === 1 &&
    tableOf(doctype).indexes.some(({ columns, like }) => !like && columns.join() === names.join())
  );
});

async function figuresOf(ctx: Context, query: ListQuery, rule: RowRule): Promise<Figures> {
  const of = figures(rule);
  const now = ctx.site.clock.micros();
  if (of.current && now < of.current.until) return of.current;
  const filter = rowFilter(ctx.user, query.doctype, 'read', ctx.doctypes);
  const row = await ctx.db.get(compileCappedCount(query, filter, ctx.db.dialect, MOST));
  of.current = {
    permitted: Number(row?.['count'] ?? 0),
    until: now + KNOWN,
    tooFar: Number.POSITIVE_INFINITY,
  };
  return of.current;
}
