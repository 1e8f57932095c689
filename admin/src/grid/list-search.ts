import { type Condition, conditionsOf, wireOf } from './list-filters.ts';

/** One term of a sort order. */
export interface OrderTerm {
  readonly field: string;
  readonly isDescending: boolean;
}

/** How a list shows its documents. */
export const VIEW_TYPES = ['table', 'report', 'board', 'calendar', 'gallery'] as const;
export type ViewType = (typeof VIEW_TYPES)[number];

/** The settings of a view's type, which that type parses. */
export type ViewSettings = Readonly<Record<string, unknown>>;

/** The rows and columns of a list. The address holds all of it, so that users can share it. */
export interface ListSearch {
  /** All of these must match. */
  readonly filters: readonly Condition[];
  /** At least one of these must match. */
  readonly or: readonly Condition[];
  /** Text to find in any searched field. */
  readonly text: string;
  /** Empty: the doctype's default order. */
  readonly order: readonly OrderTerm[];
  /** Fieldnames of the columns; null for those of the view or the doctype. */
  readonly columns: readonly string[] | null;
  readonly as: ViewType;
  /** Empty: the defaults of the doctype. */
  readonly settings: ViewSettings;
  /** The name of a saved view. */
  readonly view: string | null;
  /** False if the address contains invalid conditions. */
  readonly isWhole: boolean;
}

/** Parses the address. */
export function readListSearch(search: Readonly<Record<string, unknown>>, doctype: string): ListSearch {
  const filters = conditionsOf(parsed(search['filters']), doctype);
  const or = conditionsOf(parsed(search['or']), doctype);
  const columns = textOf(search['cols']);
  return {
    filters: filters.conditions,
    or: or.conditions,
    text: textOf(search['q']) ?? '',
    order: orderOf(textOf(search['order']) ?? ''),
    columns: columns === null ? null : columns.split(',').filter((one) => one !== ''),
    as: viewTypeOf(search['as']),
    settings: settingsOf(parsed(search['settings'])),
    view: textOf(search['view']),
    isWhole: filters.isWhole && or.isWhole,
  };
}

/** The search parameters of a list. Defaults are undefined. */
export function searchParameters(list: Omit<ListSearch, 'isWhole'>): Readonly<Record<string, unknown>> {
  return {
    filters: list.filters.length > 0 ? list.filters.map(wireOf) : undefined,
    or: list.or.length > 0 ? list.or.map(wireOf) : undefined,
    q: list.text === '' ? undefined : list.text,
    order: orderText(list.order) || undefined,
    cols: list.columns ? list.columns.join(',') : undefined,
    as: list.as === 'table' ? undefined : list.as,
    settings: Object.keys(list.settings).length > 0 ? list.settings : undefined,
    view: list.view ?? undefined,
  };
}

/** The type of that name, in any case; a table for an unknown one. */
export function viewTypeOf(name: unknown): ViewType {
  const plain = typeof name === 'string' ? name.toLowerCase() : '';
  return VIEW_TYPES.find((type) => type === plain) ?? 'table';
}

/** Settings from an address or a saved view. */
export function settingsOf(value: unknown): ViewSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ViewSettings) : {};
}

/** Parses `customer asc, modified desc`. */
export function orderOf(text: string): OrderTerm[] {
  return text.split(',').flatMap((term) => {
    const [field = '', direction = 'asc'] = term.trim().split(/\s+/);
    return /^\w[\w.]*$/.test(field) ? [{ field, isDescending: direction.toLowerCase() === 'desc' }] : [];
  });
}

/** The wire form of a sort order. */
export function orderText(order: readonly OrderTerm[]): string {
  return order.map(({ field, isDescending }) => `${field} ${isDescending ? 'desc' : 'asc'}`).join(', ');
}

/**
 * The sort order after a click on a header: ascending, descending, then none. `isAdding` keeps the terms of
 * other columns.
 */
export function toggledOrder(
  order: readonly OrderTerm[],
  field: string,
  { isAdding = false } = {},
): readonly OrderTerm[] {
  const known = order.find((one) => one.field === field);
  const next = known
    ? known.isDescending
      ? []
      : [{ field, isDescending: true }]
    : [{ field, isDescending: false }];
  if (!isAdding) return next;
  if (!known) return [...order, ...next];
  return order.flatMap((one) => (one.field === field ? next : [one]));
}

// The router parses JSON itself, but a list in a hand-written address can arrive as text.
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
