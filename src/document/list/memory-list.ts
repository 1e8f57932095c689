import { type RowRule, ruleOf } from '../../access/row-rule.ts';
import type { Row } from '../../db/database.ts';
import { queryTimeout } from '../../db/driver-errors.ts';
import type { Sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import {
  appliesToRows,
  filterRows,
  type PlainRow,
  pageOf,
  selectColumns,
} from '../../query/apply-list-query.ts';
import type { Filter, ListQuery } from '../../query/list-query.ts';
import type { Context } from '../contract.ts';
import { load } from '../load/load.ts';
import { controllerRowFilter } from '../load/narrowing.ts';
import { hasRight } from '../load/rights-on.ts';
import { listVirtual } from '../virtual/virtual-doctype.ts';

/** Milliseconds after which other requests get a turn. */
const TURN = 10;

/**
 * True when a list has no table to query: documents of an app's virtual doctype, and a single, which exists
 * before its row does. `filter` restricts the rows for the user.
 */
export function answersFromMemory(query: ListQuery, filter: Sql | null): boolean {
  const { doctype } = query;
  if (doctype.rowsFrom === 'controller') return true;
  return doctype.issingle && filter === null && appliesToRows(query);
}

/** The rows of a list for which `answersFromMemory` is true, for `presentRows`. */
export async function memoryRows(ctx: Context, query: ListQuery): Promise<Row[]> {
  const { rows, count } = await candidates(ctx, query);
  const wholeSeconds = ctx.site.settings.timestampPrecision === 'seconds';
  const kept = count === null ? await filtered(ctx, query, rows) : [...rows];
  if (query.selection.select === 'count') return [{ _0: count ?? kept.length }];
  return selectColumns(query, count === null ? pageOf(query, kept) : kept, wholeSeconds);
}

/** The number of documents on all pages of such a list. */
export async function memoryCount(ctx: Context, query: ListQuery): Promise<number> {
  const { rows, count } = await candidates(ctx, query);
  return count ?? (await filtered(ctx, query, rows)).length;
}

interface Candidates {
  readonly rows: readonly PlainRow[];
  /** Not null when the rows are the requested page. */
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
      `A list of ${doctype.name} cannot follow links or have groups, aggregates or nested conditions`,
    );
  }
  if (controllerRowFilter(ctx, doctype)) {
    throw new Error(`${doctype.name} is virtual: its list must filter rows, a rowFilter cannot`);
  }
  const rule = ruleOf(ctx.user, doctype, 'read', ctx.doctypes);
  const { docs, count } = await listVirtual(ctx, doctype, ownOnly(query, rule));
  // A page can be restricted to the user's own documents, but not by a rule that needs each document.
  if (count !== null && (!rule || isOwnOnly(rule))) return { rows: docs.map(row), count };
  return {
    rows: await permitted(ctx, doctype, await filtered(ctx, ownOnly(query, rule), docs)),
    count: null,
  };
}

/**
 * The rows that match the filters. Other requests get turns meanwhile. @throws ServiceError QueryTimeoutError
 */
async function filtered<R extends PlainRow>(
  ctx: Context,
  query: ListQuery,
  rows: readonly R[],
): Promise<R[]> {
  const work = filterRows(query, rows);
  const end = performance.now() + ctx.site.config.lists.timeout;
  let turn = performance.now() + TURN;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const now = performance.now();
    if (now > end) throw queryTimeout();
    if (now < turn) continue;
    await new Promise(setImmediate);
    turn = performance.now() + TURN;
  }
}

// A user who may see only their own documents asks for those, so that a controller's page is restricted as
// well.
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

// A document that was never stored has no times; a list shows them as unset.
function row(doc: Document): PlainRow {
  return doc.creation && doc.modified
    ? doc
    : { ...doc, creation: doc.creation || null, modified: doc.modified || null };
}
