import { queryOptions } from '@tanstack/react-query';
import { type Filter, listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';

/** A `Saved View` as it is stored. */
export type StoredView = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly label: string;
  readonly reference_doctype: string;
  readonly type: string;
};

const VIEW = 'Saved View';
const FIELDS = [
  'name',
  'label',
  'reference_doctype',
  'type',
  'settings',
  'filters',
  'or_filters',
  'order_by',
];
/** Views offered for a card. */
const MOST = 500;

/** The views of these names that the user may see, by name. */
export function viewsOfQuery(names: readonly string[]) {
  const filters: Filter[] = [['name', 'in', names]];
  return queryOptions({
    queryKey: keys.list(VIEW, { filters, fields: FIELDS }),
    enabled: names.length > 0,
    queryFn: async ({ signal }) => {
      const query = { fields: FIELDS, filters, limit_page_length: names.length };
      const rows = await listRows<StoredView>(VIEW, query, { signal });
      return new Map(rows.map((row) => [row.name, row]));
    },
  });
}

/** All shared views: what cards may show. */
export const sharedViewsQuery = queryOptions({
  queryKey: keys.list(VIEW, { shared: 1 }),
  queryFn: ({ signal }) =>
    listRows<StoredView>(
      VIEW,
      {
        fields: FIELDS,
        filters: [['is_shared', '=', 1]],
        order_by: 'reference_doctype asc, label asc',
        limit_page_length: MOST,
      },
      { signal },
    ),
});

/** Text of a JSON field; null where it is not JSON. */
export function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return null;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}
