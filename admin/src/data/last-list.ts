import { type ListQuery, listRows } from './documents.ts';
import { keys } from './keys.ts';
import { queryClient } from './query-client.ts';

/** The list of each doctype that was looked at last, in this page. */
const lists = new Map<string, ListQuery>();

/** Notes what a list shows: records step through it. */
export function rememberList(doctype: string, { filters, or_filters, order_by }: ListQuery): void {
  lists.set(doctype, { filters, or_filters, order_by });
}

/** Records stepped through: as many names as one page may hold. */
const LONGEST = 1_000;

/**
 * The record before or after another in the list that was looked at last, or in the doctype's own order. Null at either end,
 * undefined when the record is not in the list, or deeper in it than this looks.
 */
export async function neighbourOf(
  doctype: string,
  name: string,
  step: 1 | -1,
  ownOrder: string,
): Promise<string | null | undefined> {
  const query: ListQuery = {
    order_by: ownOrder,
    ...lists.get(doctype),
    fields: ['name'],
    limit_page_length: LONGEST,
  };
  const rows = await queryClient.fetchQuery({
    queryKey: keys.list(doctype, query),
    queryFn: ({ signal }) => listRows<{ readonly name: string }>(doctype, query, { signal }),
  });
  const at = rows.findIndex((row) => row.name === name);
  return at < 0 ? undefined : (rows[at + step]?.name ?? null);
}
