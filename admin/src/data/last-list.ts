import type { ListQuery } from './documents.ts';

/** The list of each doctype that was looked at last, in this page. */
const lists = new Map<string, ListQuery>();

/** Notes what a list shows: records step through it. */
export function rememberList(doctype: string, { filters, or_filters, order_by }: ListQuery): void {
  lists.set(doctype, { filters, or_filters, order_by });
}

/** The state of the last visited list, if any. */
export function lastList(doctype: string): ListQuery {
  return lists.get(doctype) ?? {};
}
