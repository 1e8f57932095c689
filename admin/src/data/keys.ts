import type { ListQuery } from './documents.ts';

/** Query keys of the cache. The change feed invalidates by these keys. */
export const keys = {
  meta: (doctype: string) => ['meta', doctype] as const,
  /** Every list and count of a doctype. */
  lists: (doctype: string) => ['list', doctype] as const,
  list: (doctype: string, query: ListQuery) => ['list', doctype, 'rows', query] as const,
  count: (doctype: string, query: ListQuery) => ['list', doctype, 'count', query] as const,
  doc: (doctype: string, name: string) => ['doc', doctype, name] as const,
  /** Related data of a document: comments, versions, attachments, links. */
  beside: (doctype: string, name: string, what: string) => ['doc', doctype, name, what] as const,
  method: (name: string, args: unknown = {}) => ['method', name, args] as const,
};
