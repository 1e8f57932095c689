import type { Context } from '../../document/context.ts';
import { listDocumentsJson } from '../../document/list.ts';
import { LIST_PARAMETERS, type ListParameters } from '../../query/list-query.ts';

/** What a list of the second version of the interface understands: pages by `start` and `limit`. */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set([...LIST_PARAMETERS, 'start', 'limit']);

/** `{"data": rows, "has_next_page": boolean}`: one row more is asked for than shown. */
export async function pageBody(ctx: Context, doctypeName: string, query: ListParameters): Promise<string> {
  const { limit_start: _start, limit_page_length: _length, ...parameters } = query;
  const shown = parameters.limit === undefined || parameters.limit === '' ? 20 : Number(parameters.limit);
  const pages = Number.isSafeInteger(shown) && shown > 0 && shown < ctx.site.config.lists.maxPageLength;
  const limit = pages ? shown + 1 : parameters.limit;
  const text = await listDocumentsJson(ctx, doctypeName, { ...parameters, limit });
  const rows: unknown = pages ? JSON.parse(text) : null;
  if (!Array.isArray(rows) || rows.length <= shown) return `{"data":${text},"has_next_page":false}`;
  return `{"data":${JSON.stringify(rows.slice(0, shown))},"has_next_page":true}`;
}
