import { allOf } from '../../data/all-of.ts';
import type { Filter } from '../../data/documents.ts';
import { lastList } from '../../data/last-list.ts';
import { fetchPage } from '../../grid/list-requests.ts';

/**
 * The record before or after another in the list that was looked at last, or in the doctype's own order,
 * however long that is. Null at either end, undefined when the record is not in the list, or its place cannot
 * be told: where a list is ordered by very long texts.
 */
export async function neighbourOf(
  doctype: string,
  name: string,
  step: 1 | -1,
  ownOrder: string,
): Promise<string | null | undefined> {
  const { order_by: order = ownOrder, filters = [], ...list } = lastList(doctype);
  const [ahead, back] = step === 1 ? [order, reversed(order)] : [reversed(order), order];
  const first = async (order_by: string, more: readonly Filter[], after?: string) => {
    const query = { ...list, fields: ['name'], filters: allOf(filters, more), order_by, after };
    const { rows, cursor } = await fetchPage(doctype, { ...query, limit_page_length: 1 });
    return { found: rows[0] && String(rows[0]['name']), cursor };
  };
  // A row has a cursor when there is another one behind it: the last of the list is behind every other.
  const { found: last = name } = await first(back, []);
  const { found, cursor } = await first(ahead, [['name', 'in', [name, last]]]);
  if (found !== name) return undefined;
  if (name === last) return null;
  return cursor === null ? undefined : ((await first(ahead, [], cursor)).found ?? null);
}

/** An order from its end: the name, which decides between equals, runs the way of the last term. */
function reversed(order: string): string {
  return order
    .split(',')
    .map((term) => {
      const [field = '', direction = 'asc'] = term.trim().split(/\s+/);
      return `${field} ${direction.toLowerCase() === 'desc' ? 'asc' : 'desc'}`;
    })
    .join(', ');
}
