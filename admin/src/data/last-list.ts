import type { ListQuery } from './documents.ts';

/** The last visited list of each doctype since the page was loaded. */
const lists = new Map<string, ListQuery>();

/** Stores the query of a list. Records use it to step to the previous and next one. */
export function rememberList(doctype: string, query: ListQuery): void {
  lists.set(doctype, query);
}

/** The query of the last visited list, if any. */
export function lastList(doctype: string): ListQuery {
  return lists.get(doctype) ?? {};
}
