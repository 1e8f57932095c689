import type { FastifyReply } from 'fastify';
import type { Context } from '../../document/context.ts';
import { type ListPage, listPage } from '../../document/list-page.ts';
import { LIST_PARAMETERS, type ListParameters, PAGING_PARAMETERS } from '../../query/list-query.ts';
import { sendList } from '../reply.ts';

/** What a list understands that also says what lies beyond its page. */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set([...LIST_PARAMETERS, ...PAGING_PARAMETERS]);

/** True when a list of the first version asks for more than rows. */
export function asksForPage(query: ListParameters): boolean {
  for (const name of PAGING_PARAMETERS) if (query[name] !== undefined && query[name] !== '') return true;
  return false;
}

/**
 * `{"data": rows, "has_next_page": boolean}`, and when they were asked for the `cursor` of the next page, where there
 * is one, and `count` with `count_capped`.
 */
export async function sendPage(
  reply: FastifyReply,
  ctx: Context,
  doctypeName: string,
  query: ListParameters,
): Promise<FastifyReply> {
  const { json, ...more } = await listPage(ctx, doctypeName, query);
  return sendList(reply, '{"data":', json, `,${JSON.stringify(beside(more, query)).slice(1)}`);
}

/** The same where pages are known by `start` and `limit` alone. */
export function sendSecondVersionPage(
  reply: FastifyReply,
  ctx: Context,
  doctypeName: string,
  query: ListParameters,
): Promise<FastifyReply> {
  const { limit_start: _start, limit_page_length: _length, ...parameters } = query;
  return sendPage(reply, ctx, doctypeName, parameters);
}

function beside(page: Omit<ListPage, 'json'>, { after, include }: ListParameters): Record<string, unknown> {
  const { hasNextPage, count, countCapped } = page;
  const wantsCursor = (after !== undefined && after !== '') || String(include).includes('cursor');
  const cursor = wantsCursor ? page.cursor : null;
  const counted = count === null ? {} : { count, count_capped: countCapped };
  return { has_next_page: hasNextPage, ...(cursor === null ? {} : { cursor }), ...counted };
}
