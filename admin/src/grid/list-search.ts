import { type Condition, conditionsOf, wireOf } from './list-filters.ts';

/** One term of an order. */
export interface OrderTerm {
  readonly field: string;
  readonly isDescending: boolean;
}

/**
 * All that says which rows a list shows, and how: it stands in the address, so that it can be sent to
 * somebody.
 */
export interface ListSearch {
  /** All of these hold. */
  readonly filters: readonly Condition[];
  /** One of these holds. */
  readonly or: readonly Condition[];
  /** A text that some field contains. */
  readonly text: string;
  /** Empty: the doctype's own. */
  readonly order: readonly OrderTerm[];
  /** Fieldnames of the columns; null: those of the view, or of the doctype. */
  readonly columns: readonly string[] | null;
  /** The name of a saved view. */
  readonly view: string | null;
  /** False when the address has conditions that cannot be read. */
  readonly isWhole: boolean;
}

/** Reads the address. */
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
    view: textOf(search['view']),
    isWhole: filters.isWhole && or.isWhole,
  };
}

/** The search parameters of a list; those that say nothing are undefined. */
export function searchParameters(list: Omit<ListSearch, 'isWhole'>): Readonly<Record<string, unknown>> {
  return {
    filters: list.filters.length > 0 ? list.filters.map(wireOf) : undefined,
    or: list.or.length > 0 ? list.or.map(wireOf) : undefined,
    q: list.text === '' ? undefined : list.text,
    order: orderText(list.order) || undefined,
    cols: list.columns ? list.columns.join(',') : undefined,
    view: list.view ?? undefined,
  };
}

/** `customer asc, modified desc` as terms. */
export function orderOf(text: string): OrderTerm[] {
  return text.split(',').flatMap((term) => {
    const [field = '', direction = 'asc'] = term.trim().split(/\s+/);
    return /^\w[\w.]*$/.test(field) ? [{ field, isDescending: direction.toLowerCase() === 'desc' }] : [];
  });
}

/** Terms as the server takes them. */
export function orderText(order: readonly OrderTerm[]): string {
  return order.map(({ field, isDescending }) => `${field} ${isDescending ? 'desc' : 'asc'}`).join(', ');
}

/**
 * The order after a press on a column's head: up, down, and back to none. `isAdding` keeps the terms of other
 * columns.
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

// The router reads JSON by itself where it is some; a list typed by hand may come as its text.
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
