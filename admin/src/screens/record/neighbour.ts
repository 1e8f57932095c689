import { allOf } from '../../data/all-of.ts';
import type { Filter, ListQuery } from '../../data/documents.ts';
import { lastList } from '../../data/last-list.ts';
import { fetchPage } from '../../grid/list-requests.ts';

/**
 * The previous or next record in the last visited list, or else in the doctype's default order, whatever its
 * length. Null at either end. Undefined if the record is not in the list or its position is unknown, as with
 * a sort order by very long texts.
 */
export async function neighbourOf(
  doctype: string,
  name: string,
  step: 1 | -1,
  ownOrder: string,
): Promise<string | null | undefined> {
  const list: ListQuery = { fields: ['name'], ...lastList(doctype) };
  const { order_by: order = ownOrder, filters = [] } = list;
  const [ahead, back] = step === 1 ? [order, reversed(order)] : [reversed(order), order];
  const first = async (order_by: string, more: readonly Filter[], after?: string) => {
    const query = { ...list, filters: allOf(filters, more), order_by, after };
    const { rows, cursor } = await fetchPage(doctype, { ...query, limit_page_length: 1 });
    return { found: rows[0] && String(rows[0]['name']), cursor };
  };
  // A row has a cursor only if another one follows it. The last row of the list follows all others.
  const { found: last = name } = await first(back, []);
  const { found, cursor } = await first(ahead, [['name', 'in', [name, last]]]);
  if (found !== name) return undefined;
  if (name === last) return null;
  return cursor === null ? undefined : ((await first(ahead, [], cursor)).found ?? null);
}

/** Reverses a sort order. The name breaks ties in the direction of the last term. */
function reversed(order: string): string {
  return order
    .split(',')
    .map((term) => {
      const [field = '', direction = 'asc'] = term.trim().split(/\s+/);
      return `${field} ${direction.toLowerCase() === 'desc' ? 'asc' : 'desc'}`;
    })
    .join(', ');
}
