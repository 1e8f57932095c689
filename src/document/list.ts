import { type ListRight, listRight } from '../access/list-right.ts';
import { requirePermission } from '../access/permission.ts';
import { rowFilter } from '../access/row-filter.ts';
import type { Row } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import { compileCount } from '../query/compile-count.ts';
import { compileList } from '../query/compile-list.ts';
import type { ListParameters, ListQuery } from '../query/list-query.ts';
import { parseListQuery } from '../query/parse-list-query.ts';
import { isPlain, type ListRow, presentRows } from '../query/present-rows.ts';
import { attachRows } from './attach-rows.ts';
import { type Context, timestamp } from './context.ts';
import { listedParent, rowsInParents } from './list-children.ts';
import { streamList } from './list-stream.ts';
import { answersFromMemory, memoryCount, memoryRows } from './memory-list.ts';
import { controllerRowFilter } from './narrowing.ts';
import { noteExport } from './note-export.ts';
import { timed } from './slow-query.ts';

/** A list request understood and allowed. */
interface AllowedList {
  readonly query: ListQuery;
  /** The rows the user may see; null means all. */
  readonly filter: Sql | null;
}

/**
 * Rows of a list, as the user may see them: objects by the names asked for, timestamps as on the wire.
 * @throws ServiceError PermissionError, or what `parseListQuery` refuses
 */
export async function listDocuments(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<Row[]> {
  const { query, filter } = allowedList(ctx, doctypeName, { ...parameters, as_dict: true });
  return (await rowsOf(ctx, query, filter)) as Row[];
}

/** The same to pick a document to link to: of all that the user may select, by what a picker shows of them. */
export async function pickDocuments(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<Row[]> {
  const { query, filter } = allowedList(ctx, doctypeName, { ...parameters, as_dict: true }, true);
  return (await rowsOf(ctx, query, filter)) as Row[];
}

/** The same as the text of a JSON array, made by the database where the request allows; `as_dict=0` gives arrays. */
export async function listDocumentsJson(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<string> {
  const { query, filter } = allowedList(ctx, doctypeName, parameters);
  await noteExport(ctx, query);
  return listText(ctx, query, filter);
}

async function listText(ctx: Context, query: ListQuery, filter: Sql | null): Promise<string> {
  if (!isPlain(query) || answersFromMemory(query, filter)) {
    return JSON.stringify(await rowsOf(ctx, query, filter));
  }
  const statement = compileList(query, filter, ctx.db.dialect, form(ctx, 'json'));
  const row = await timed(ctx, query, 'list', () => ctx.db.get(statement));
  return String(row?.['json'] ?? '[]');
}

/**
 * The same for a list that may be of any length: without a limit the text comes in pieces, of which few are in memory
 * at a time. With one it is whole.
 */
export async function listDocumentsText(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<string | AsyncIterable<string>> {
  const { query, filter } = allowedList(ctx, doctypeName, parameters);
  await noteExport(ctx, query);
  if (query.limit !== null || !isPlain(query) || answersFromMemory(query, filter)) {
    return listText(ctx, query, filter);
  }
  return streamList(ctx, query, filter, form(ctx, 'json').wholeSeconds);
}

/**
 * How many documents a list would show on all its pages.
 * @throws ServiceError as `listDocuments`
 */
export async function countDocuments(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<number> {
  // What pages and columns the list has does not change its count.
  const { filters, or_filters, parent, parent_doctype } = parameters;
  const { query, filter } = allowedList(ctx, doctypeName, { filters, or_filters, parent, parent_doctype });
  if (answersFromMemory(query, filter)) return memoryCount(ctx, query);
  const statement = compileCount(query, filter, ctx.db.dialect);
  const row = await timed(ctx, query, 'count', () => ctx.db.get(statement));
  return Number(row?.['count'] ?? 0);
}

/** What a list request means, when the user may make it. @throws ServiceError as `listDocuments` */
export function allowedList(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
  picks = false,
): AllowedList {
  const doctype = ctx.doctypes.get(doctypeName);
  const parent = doctype.istable
    ? listedParent(ctx, doctype, parameters.parent || parameters.parent_doctype)
    : null;
  const right = listRight(ctx.user, doctype, picks);
  if (!parent) requirePermission(ctx.user, doctype, right);
  const query = parseListQuery(doctype, parameters, {
    registry: ctx.doctypes,
    user: ctx.user,
    right,
    ...(parent && { parent }),
    now: () => timestamp(ctx.site),
    maxPageLength: ctx.site.settings.maxPageLength,
    rowsOf: (target) => readableRows(ctx, target),
  });
  const filter = parent
    ? rowsInParents(ctx, doctype, parent, readableRows(ctx, parent))
    : readableRows(ctx, doctype, right);
  return { query, filter };
}

/** The rows of a doctype that the user may see, listed or looked through by a filter on a link; null means all. */
export function readableRows(ctx: Context, doctype: DocType, right: ListRight = 'read'): Sql | null {
  return both(rowFilter(ctx.user, doctype, right, ctx.doctypes), controllerRowFilter(ctx, doctype));
}

// In parentheses, so that an `or` in a controller's condition cannot widen what the roles allow.
function both(roles: Sql | null, controllers: Sql | null): Sql | null {
  if (!controllers) return roles;
  return roles ? sql`${roles} and (${controllers})` : sql`(${controllers})`;
}

async function rowsOf(ctx: Context, query: ListQuery, filter: Sql | null) {
  const how = form(ctx, 'rows');
  const rows: ListRow[] = answersFromMemory(query, filter)
    ? await memoryRows(ctx, query)
    : await timed(ctx, query, 'list', () => ctx.db.all(compileList(query, filter, ctx.db.dialect, how)));
  if (query.selection.select === 'terms' || query.expand.length > 0) await attachRows(ctx, query, rows, how);
  return presentRows(query, rows);
}

/** How the site shows values. */
export function form(ctx: Context, output: 'rows' | 'json') {
  return { output, wholeSeconds: ctx.site.settings.timestampPrecision === 'seconds' } as const;
}
