import { type ListRight, listRight, listsOwnOnly } from '../../access/list-right.ts';
import { requirePermission } from '../../access/permission.ts';
import { rowFilter } from '../../access/row-filter.ts';
import type { Connection, Row } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { jsonText } from '../../kernel/json-text.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import { compileCount } from '../../query/compile-count.ts';
import { compileList } from '../../query/compile-list.ts';
import type { Filter, FilterGroup, ListParameters, ListQuery } from '../../query/list-query.ts';
import { parseListQuery } from '../../query/parse-list-query.ts';
import { isPlain, type ListRow, presentRows } from '../../query/present-rows.ts';
import { timestamp } from '../context.ts';
import type { Context } from '../contract.ts';
import { controllerRowFilter } from '../load/narrowing.ts';
import { isOnReplicas, looksElsewhere, rowContext } from '../load/replica.ts';
import { notePolling } from '../stamp.ts';
import { attachRows } from './attach-rows.ts';
import { compiledOnce, type KnownList, knownList } from './known-lists.ts';
import { listedParent, rowsInParents } from './list-children.ts';
import { form } from './list-rows.ts';
import { isListOfDocuments, type ListText, streamList } from './list-stream.ts';
import { answersFromMemory, memoryCount, memoryRows } from './memory-list.ts';
import { noteExport } from './note-export.ts';
import { timed } from './slow-query.ts';
import { fullPage, walk } from './walk.ts';

/** A parsed and authorised list request. */
interface AllowedList {
  /** The context that reads its rows. */
  readonly from: Context;
  readonly query: ListQuery;
  /** The rows the user may see; null means all. */
  readonly filter: Sql | null;
  /** The same query, with its statement. */
  readonly known: KnownList;
}

/**
 * Rows of a list that the user may see: objects by the requested names, timestamps as on the wire.
 * @throws ServiceError PermissionError, the errors of `parseListQuery`, or TooLarge beyond `lists.maxBytes`
 */
export function listDocuments(ctx: Context, doctypeName: string, parameters: ListParameters): Promise<Row[]> {
  return listRows(ctx, doctypeName, parameters, null);
}

/** The same, perhaps from a replica. */
export async function listRows(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
  replica: Connection | null,
): Promise<Row[]> {
  const asked = { ...parameters, as_dict: true };
  const { from, query, filter } = allowedList(ctx, doctypeName, asked, { replica });
  return (await rowsOf(from, query, filter)) as Row[];
}

/**
 * The same for a link picker: all documents that the user may select, and only the fields that a picker
 * shows.
 */
export async function pickDocuments(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<Row[]> {
  const asked = { ...parameters, as_dict: true };
  const { query, filter } = allowedList(ctx, doctypeName, asked, { picks: true });
  return (await rowsOf(ctx, query, filter)) as Row[];
}

/**
 * The same as the text of a JSON array; `as_dict=0` gives arrays. A list of documents without a limit, or
 * above `lists.maxBytes`, comes in pieces. The rows perhaps come from `replica`.
 * @throws TooLarge for any other list above that size
 */
export async function listDocumentsText(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
  replica: Connection | null = null,
): Promise<ListText> {
  const allowed = allowedList(ctx, doctypeName, parameters, { replica });
  const { from, query, filter } = allowed;
  await noteExport(ctx, query);
  const hasPieces = isListOfDocuments(query, filter);
  if (query.limit !== null || !hasPieces || !isPlain(query)) {
    try {
      return await wholeText(allowed);
    } catch (error) {
      if (!(error instanceof TooLarge && hasPieces)) throw error;
    }
  }
  return (await streamList(from, query, filter, null)).pieces;
}

// The database renders a plain list.
async function wholeText({ from: ctx, query, filter, known }: AllowedList): Promise<string> {
  if (!isPlain(query) || answersFromMemory(query, filter)) return jsonText(await rowsOf(ctx, query, filter));
  const { maxBytes } = ctx.site.config.lists;
  const compile = (walk?: number) =>
    compileList(query, filter, ctx.db.dialect, { ...form(ctx, 'json'), most: maxBytes, walk });
  const read = async (walk?: number): Promise<string | null> => {
    const statement =
      walk === undefined ? compiledOnce(known, filter, ctx.db.dialect, compile) : compile(walk);
    const json = (await timed(ctx, query, 'list', () => ctx.db.get(statement)))?.['json'];
    return typeof json === 'string' ? json : null;
  };
  const json = (await walk(ctx, query, filter, read)) ?? (await read());
  if (json === null) throw TooLarge.answer(maxBytes);
  return json;
}

/**
 * The number of documents on all pages of a list.
 * @throws ServiceError as `listDocuments`
 */
export function countDocuments(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
): Promise<number> {
  return countRows(ctx, doctypeName, parameters, null);
}

/** The same, perhaps from a replica. */
export async function countRows(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
  replica: Connection | null,
): Promise<number> {
  // Pages and columns do not change the count.
  const { filters, or_filters, parent, parent_doctype } = parameters;
  const asked = { filters, or_filters, parent, parent_doctype };
  const { from, query, filter } = allowedList(ctx, doctypeName, asked, { replica });
  if (answersFromMemory(query, filter)) return memoryCount(ctx, query);
  const statement = compileCount(query, filter, ctx.db.dialect);
  const row = await timed(ctx, query, 'count', () => from.db.get(statement));
  return Number(row?.['count'] ?? 0);
}

interface ListOptions {
  /** For a link picker: what the user may select. */
  readonly picks?: boolean;
  /** Reads the rows, if they and the user's right to them allow it. */
  readonly replica?: Connection | null;
}

/** Parses a list request and checks that the user may make it. @throws ServiceError as `listDocuments` */
export function allowedList(
  ctx: Context,
  doctypeName: string,
  parameters: ListParameters,
  { picks = false, replica = null }: ListOptions = {},
): AllowedList {
  const doctype = ctx.doctypes.get(doctypeName);
  const parent = doctype.istable
    ? listedParent(ctx, doctype, parameters.parent || parameters.parent_doctype)
    : null;
  let mayLag = replica !== null && isOnReplicas(doctype);
  const scope = {
    now: () => timestamp(ctx.site),
    rowsOf: (target: DocType) => {
      const rows = readableRows(ctx, target);
      mayLag &&= isOnReplicas(target) && !(rows && looksElsewhere(rows));
      return rows;
    },
  };
  const parse = (right: ListRight): KnownList => {
    if (!parent) return knownList(ctx, doctype, parameters, right, scope);
    const { maxPageLength } = ctx.site.settings;
    const all = { ...scope, registry: ctx.doctypes, user: ctx.user, right, parent, maxPageLength };
    return { query: parseListQuery(doctype, parameters, all), compiled: null };
  };
  const least = listRight(ctx.user, doctype, picks);
  if (!parent) requirePermission(ctx.user, doctype, least);
  const asked = parse(least);
  const most = listRight(ctx.user, doctype, true);
  const wider = most === least ? null : sameList(asked.query, () => parse(most));
  const [known, right] = wider ? [wider, most] : [asked, least];
  const { query } = known;
  if (isByModified(query)) notePolling(ctx.site);
  const filter = parent
    ? rowsInParents(ctx, doctype, parent, readableRows(ctx, parent))
    : readableRows(ctx, doctype, right);
  const from = mayLag && !(filter && looksElsewhere(filter)) ? rowContext(ctx, doctype, replica) : ctx;
  if (!listsOwnOnly(ctx.user, doctype)) return { from, query, filter, known };
  return { from, query, filter: both(filter, sql`"owner" = ${ctx.user.name}`), known };
}

// The list by the right to select, which reaches more documents; null when it shows less of each.
function sameList(asked: ListQuery, parse: () => KnownList): KnownList | null {
  try {
    const known = parse();
    return shownIn(known.query) === shownIn(asked) ? known : null;
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

function shownIn({ selection }: ListQuery): number {
  if (selection.select === 'count') return 1;
  return selection.select === 'terms' ? selection.terms.length : selection.columns.length;
}

function isByModified({ filters, orFilters, nested }: ListQuery): boolean {
  const names = (one: Filter | FilterGroup): boolean =>
    'join' in one
      ? one.nodes.some(names)
      : one.path.via === 'own' && one.path.column.fieldname === 'modified';
  return [...filters, ...orFilters, ...nested].some(names);
}

/** The rows of a doctype that the user may see, in a list or behind a filter on a link; null means all. */
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
  const read = (walk?: number): Promise<ListRow[]> => {
    const statement = compileList(query, filter, ctx.db.dialect, { ...how, walk });
    return timed(ctx, query, 'list', () => ctx.db.all(statement, ctx.site.config.lists.maxBytes));
  };
  const rows: ListRow[] = answersFromMemory(query, filter)
    ? await memoryRows(ctx, query)
    : ((await walk(ctx, query, filter, async (most) => fullPage(query, await read(most)))) ?? (await read()));
  if (query.selection.select === 'terms' || query.expand.length > 0) await attachRows(ctx, query, rows, how);
  return presentRows(query, rows);
}
