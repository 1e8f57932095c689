import { LIST_PARAMETERS, type ListParameters, PAGING_PARAMETERS } from '../../query/list-query.ts';

/** The parameters of a list whose reply also describes what follows its page. */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set([...LIST_PARAMETERS, ...PAGING_PARAMETERS]);

/** The parameters of a count. */
export const COUNT_PARAMETERS: ReadonlySet<string> = new Set([
  'filters',
  'or_filters',
  'parent',
  'parent_doctype',
]);

/** True when a list of the first version asks for more than rows. */
export function asksForPage(query: ListParameters): boolean {
  for (const name of PAGING_PARAMETERS) if (query[name] !== undefined && query[name] !== '') return true;
  return false;
}

/** Parameters of a list of the second version, which has pages by `start` and `limit` only. */
export function pageParameters(query: ListParameters): ListParameters {
  const { limit_start: _start, limit_page_length: _length, ...parameters } = query;
  return parameters;
}
