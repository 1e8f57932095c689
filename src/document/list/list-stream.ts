import { join, type Sql, sql } from '../../db/sql.ts';
import type { DocColumn } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import { keysOfRow } from '../../query/compile-keyset.ts';
import type { ListQuery } from '../../query/list-query.ts';
import { isPlain, type ListRow } from '../../query/present-rows.ts';
import type { Context } from '../contract.ts';
import { TooManyRows } from './attach-rows.ts';
import { type Page, pageRows, rowsText } from './list-rows.ts';
import { answersFromMemory } from './memory-list.ts';

/** The text of a JSON array: whole, or in pieces, of which only one at a time is in memory. */
export type ListText = string | AsyncIterable<string>;

/** The most documents per piece, and its share of `lists.maxBytes`. */
const PIECE = 1_000;
const SHARE = 1 / 8;
/** Documents selected beyond a page, to replace those deleted while it is sent. */
const SPARE = 1_000;

/** A list that is sent in pieces. */
interface ListStream {
  readonly pieces: AsyncIterable<string>;
  readonly hasNextPage: boolean;
  /** The last document of the page with its sort keys. */
  readonly last: ListRow | undefined;
}

/** True when each row of a list is a document with a name, so that the list can be sent in pieces. */
export function isListOfDocuments(query: ListQuery, filter: Sql | null): boolean {
  const { selection, groups, joined } = query;
  return (
    selection.select !== 'count' && groups === null && joined === null && !answersFromMemory(query, filter)
  );
}

/**
 * Sends a list of documents in pieces. One statement at the start selects the documents and their order. Each
 * is read when its piece is sent. A document that was deleted meanwhile or no longer matches is left out, and
 * the next one beyond the page replaces it, because clients take a short page for the last. With a cursor
 * (`page`) the page stays shorter, because `hasNextPage` tells.
 * @throws TooLarge, possibly from `pieces`, when a single document exceeds the limit of a reply
 */
export async function streamList(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  page: Page | null,
): Promise<ListStream> {
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  const found = await findDocuments(ctx, query, filter, limit + (page ? 1 : SPARE), page);
  const names = found.map((row) => String(row['name']));
  const last = found[Math.min(limit, found.length) - 1];
  const sent = page ? names.slice(0, limit) : names;
  const text = await begun(pieces(ctx, query, filter, sent, limit));
  return { pieces: text, hasNextPage: names.length > limit, last };
}

/** The same pieces with the first one ready, so that early errors occur before the reply begins. */
async function begun(pieces: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first = await pieces.next();
  async function* all(): AsyncGenerator<string> {
    if (!first.done) yield first.value;
    yield* pieces;
  }
  return all();
}

function findDocuments(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  most: number,
  page: Page | null,
): Promise<ListRow[]> {
  const columns = [{ column: nameColumn(query), key: 'name' }];
  const selection = { select: 'columns', columns } as const;
  const limit = most === Number.POSITIVE_INFINITY ? null : most;
  const named: ListQuery = { ...query, selection, limit, expand: [] };
  return pageRows(ctx, named, filter, 'rows', page ?? { keys: false, after: null }, null);
}

async function* pieces(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  names: readonly string[],
  limit: number,
): AsyncGenerator<string> {
  let size = PIECE;
  let shown = 0;
  for (let start = 0; start < names.length && shown < limit; ) {
    const some = names.slice(start, start + Math.min(size, limit - shown));
    const piece = await readPiece(ctx, query, filter, some);
    if (piece === null) {
      size = Math.ceil(some.length / 2);
      continue;
    }
    start += some.length;
    if (piece.text.length < pieceBytes(ctx) / 4) size = Math.min(2 * size, PIECE);
    if (piece.count === 0) continue;
    yield (shown === 0 ? '[' : ',') + piece.text;
    shown += piece.count;
  }
  // The remaining documents are unknown: a shorter page would hide them.
  if (shown < limit && names.length === limit + SPARE) throw new Error('the list changed while it was sent');
  yield shown === 0 ? '[]' : ']';
}

/** The text of these documents, separated by commas; null when it exceeds the limit of a piece. */
async function readPiece(
  ctx: Context,
  query: ListQuery,
  filter: Sql | null,
  names: readonly string[],
): Promise<{ readonly text: string; readonly count: number } | null> {
  const among = sql`"name" in (${join(names.map((name) => sql`${name}`))})`;
  // By name, which has an index: any other order would hold all documents of the piece in memory.
  const order = [{ column: nameColumn(query), nullable: false, direction: 'asc' }] as const;
  const piece: ListQuery = { ...query, order, start: 0, limit: names.length };
  const both = filter ? sql`${filter} and ${among}` : among;
  const most = names.length === 1 ? LIMITS.stringLength : pieceBytes(ctx);
  try {
    const page = { keys: true, after: null };
    const rows = await pageRows(ctx, piece, both, isPlain(query) ? 'json' : 'rows', page, most);
    const byName = new Map(rows.map((row) => [String(keysOfRow(piece, row)[0]), row]));
    const ordered = names.map((name) => byName.get(name)).filter((row) => row !== undefined);
    return { text: await rowsText(ctx, query, ordered), count: ordered.length };
  } catch (error) {
    const isTooMuch = error instanceof TooLarge || error instanceof TooManyRows;
    if (isTooMuch && names.length > 1) return null;
    throw error;
  }
}

function nameColumn({ doctype }: ListQuery): DocColumn {
  const column = doctype.columnByName.get('name');
  if (!column) throw new Error(`doctype ${doctype.name} has no column name`);
  return column;
}

function pieceBytes(ctx: Context): number {
  return ctx.site.config.lists.maxBytes * SHARE;
}
