import { queryOptions } from '@tanstack/react-query';
import { callMethod } from './api.ts';
import { type Filter, listRows } from './documents.ts';
import { keys } from './keys.ts';

/** The doctype of follows. Users see only their own. */
export const FOLLOWS = 'Document Follow';

/** Whether the user follows a document. */
export function followQuery(doctype: string, name: string) {
  const filters: readonly Filter[] = [
    ['ref_doctype', '=', doctype],
    ['ref_docname', '=', name],
  ];
  const query = { fields: ['name'], filters, limit_page_length: 1 };
  return queryOptions({
    queryKey: keys.list(FOLLOWS, query),
    queryFn: async ({ signal }) => (await listRows(FOLLOWS, query, { signal })).length > 0,
  });
}

export async function follow(doctype: string, name: string, following: boolean): Promise<void> {
  await callMethod('frappe.desk.form.document_follow.update_follow', {
    doctype,
    doc_name: name,
    following: following ? 1 : 0,
  });
}
