import { type RowRule, ruleOf } from '../access/row-rule.ts';
import type { Row } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import {
  appliesToRows,
  applyListQuery,
  filterRows,
  type PlainRow,
  selectColumns,
} from '../query/apply-list-query.ts';
import type { Filter, ListQuery } from '../query/list-query.ts';
import type { Context } from './context.ts';
import { load } from './load.ts';
import { controllerRowFilter } from './narrowing.ts';
import { hasRight } from './rights-on.ts';
import { listVirtual } from './virtual-doctype.ts';

/**
 * True when a list is answered without a table: the documents of an app's virtual doctype, and a single, which is there
 * before its row is. `filter` is what narrows the rows for the user.
 */
export function answersFromMemory(query: ListQuery, filter: Sql | null): boolean {
  const { doctype } = query;
  if (doctype.rowsFrom === 'controller') return true;
  return doctype.issingle && filter === null && appliesToRows(query);
}

/** The rows of a list that `answersFromMemory`, for `presentRows`. */
export async function memoryRows(ctx: Context, query: ListQuery): Promise<Row[]> {
  const { rows, count } = await candidates(ctx, query);
  const wholeSeconds = ctx.site.settings.timestampPrecision === 'seconds';
  if (query.selection.select === 'count') return [{ _0: count ?? filterRows(query, rows).length }];
  return selectColumns(query, count === null ? applyListQuery(query, rows) : rows, wholeSeconds);
}

/** How many documents such a list has on all its pages. */
export async function memoryCount(ctx: Context, query: ListQuery): Promise<number> {
  const { rows, count } = await candidates(ctx, query);
  return count ?? filterRows(query, rows).length;
}

interface Candidates {
  readonly rows: readonly PlainRow[];
  /** Not null when the rows are the page that was asked for. */
  readonly count: number | null;
}

async function candidates(ctx: Context, query: ListQuery): Promise<Candidates> {
  const { doctype } = query;
  if (doctype.rowsFrom !== 'controller') {
    const single = await load(ctx, doctype, doctype.name);
    return { rows: await permitted(ctx, doctype, single ? [single.doc] : []), count: null };
  }
  if (!appliesToRows(query)) {
    throw new ServiceError(
      'DataError',
      `A list of ${doctype.name} follows no links, and has no groups, aggregates or nested conditions`,
    );
  }
  if (controllerRowFilter(ctx, doctype)) {
    throw new Error(`${doctype.name} is virtual: a rowFilter cannot narrow it, its list must`);
  }
  const rule = ruleOf(ctx.user, doctype, 'read', ctx.doctypes);
  const { docs, count } = await listVirtual(ctx, doctype, ownOnly(query, rule));
  // A page can be narrowed to the user's own documents, but not by what only looks at them.
  if (count !== null && (!rule || isOwnOnly(rule))) return { rows: docs.map(row), count };
  return { rows: await permitted(ctx, doctype, filterRows(ownOnly(query, rule), docs)), count: null };
}

// Who may see only his own documents asks for those, so that a controller's page is narrowed as well.
function ownOnly(query: ListQuery, rule: RowRule | null): ListQuery {
  if (!rule || !isOwnOnly(rule)) return query;
  const column = query.doctype.columnByName.get('owner');
  if (!column) throw new Error(`doctype ${query.doctype.name} has no column owner`);
  const mine: Filter = {
    path: { via: 'own', column, nullable: true },
    test: { test: 'one of', intervals: [{ low: rule.user, high: rule.user }], orNull: false },
  };
  return { ...query, filters: [...query.filters, mine] };
}

function isOwnOnly(rule: RowRule): boolean {
  return rule.own && !rule.all && rule.shared === null;
}

async function permitted(ctx: Context, doctype: DocType, docs: readonly Document[]): Promise<PlainRow[]> {
  const kept: PlainRow[] = [];
  for (const doc of docs) if (await hasRight(ctx, doctype, 'read', doc)) kept.push(row(doc));
  return kept;
}

// A document that nobody stored has no times, and a list shows them as unset.
function row(doc: Document): PlainRow {
  return doc.creation && doc.modified
    ? doc
    : { ...doc, creation: doc.creation || null, modified: doc.modified || null };
}
