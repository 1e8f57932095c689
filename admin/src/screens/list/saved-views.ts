import { queryOptions } from '@tanstack/react-query';
import { listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { conditionsOf, wireOf } from '../../grid/list-filters.ts';
import {
  type ListSearch,
  orderOf,
  orderText,
  settingsOf,
  type ViewType,
  viewTypeOf,
} from '../../grid/list-search.ts';

/** A stored list state, for its owner or for all users. */
export interface SavedView {
  readonly name: string;
  readonly label: string;
  readonly owner: string;
  readonly isShared: boolean;
  /** Lists start with it: for the owner, or for everyone if it is shared. */
  readonly isDefault: boolean;
  readonly search: Pick<ListSearch, 'filters' | 'or' | 'order' | 'columns' | 'as' | 'settings'>;
}

const FIELDS = [
  'name',
  'label',
  'owner',
  'type',
  'settings',
  'filters',
  'or_filters',
  'columns',
  'order_by',
  'is_shared',
  'is_default',
];
/** Above the server's limit per user, so that own and shared views all fit. */
const MOST = 500;

/** The doctype of views. */
export const SAVED_VIEW = 'Saved View';

/** All views of a doctype that the user may see. */
export function viewsQuery(doctype: string) {
  const query = {
    fields: FIELDS,
    filters: [['reference_doctype', '=', doctype] as const],
    order_by: 'label asc',
    limit_page_length: MOST,
  };
  return queryOptions({
    queryKey: keys.list(SAVED_VIEW, query),
    queryFn: async ({ signal }) => {
      const rows = await listRows(SAVED_VIEW, query, { signal });
      return rows.map((row) => viewOf(row, doctype));
    },
  });
}

/** The view that a list starts with. The user's own default overrides the shared one. */
export function defaultView(views: readonly SavedView[], user: string): SavedView | undefined {
  const defaults = views.filter((view) => view.isDefault);
  return (
    defaults.find((view) => !view.isShared && view.owner === user) ?? defaults.find((view) => view.isShared)
  );
}

/** True if the list matches the view. */
export function isViewShown(view: SavedView, search: ListSearch): boolean {
  return JSON.stringify(fieldsOf(view.search)) === JSON.stringify(fieldsOf(search));
}

/** A list's state as fields of a Saved View. Views do not store the search text. */
export function fieldsOf({
  filters,
  or,
  order,
  columns,
  as,
  settings,
}: SavedView['search']): Readonly<Record<string, unknown>> {
  return {
    filters: JSON.stringify(filters.map(wireOf)),
    or_filters: JSON.stringify(or.map(wireOf)),
    columns: columns === null ? null : JSON.stringify(columns.map((fieldname) => ({ fieldname }))),
    order_by: orderText(order) || null,
    type: typeWord(as),
    settings: Object.keys(settings).length > 0 ? JSON.stringify(settings) : null,
  };
}

/** The type as `Saved View` stores it. */
function typeWord(as: ViewType): string {
  return as.slice(0, 1).toUpperCase() + as.slice(1);
}

function viewOf(row: Readonly<Record<string, unknown>>, doctype: string): SavedView {
  const columns = parsed(row['columns']);
  return {
    name: String(row['name']),
    label: String(row['label']),
    owner: String(row['owner']),
    isShared: row['is_shared'] === 1,
    isDefault: row['is_default'] === 1,
    search: {
      filters: conditionsOf(parsed(row['filters']), doctype).conditions,
      or: conditionsOf(parsed(row['or_filters']), doctype).conditions,
      order: orderOf(String(row['order_by'] ?? '')),
      columns: Array.isArray(columns)
        ? columns.map((one) => String((one as { fieldname?: unknown } | null)?.fieldname ?? ''))
        : null,
      as: viewTypeOf(row['type']),
      settings: settingsOf(parsed(row['settings'])),
    },
  };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** Invalidates all cached views. */
export async function refreshViews(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.lists(SAVED_VIEW) });
}
