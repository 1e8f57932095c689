import { useEffect } from 'react';
import { useTitleOf, wantTitles } from '../meta/link-titles.ts';
import { may } from '../meta/permissions.ts';
import type { Column } from './list-columns.ts';
import type { Row } from './list-requests.ts';

/**
 * Titles of the documents that rows link to, requested together. The text of `keyOf` changes with a row's
 * titles.
 */
export function useListTitles(columns: readonly Column[], rows: readonly (Row | undefined)[]) {
  const titleOf = useTitleOf();
  const linking = columns.filter(({ field }) => ['Link', 'Dynamic Link'].includes(field.fieldtype));
  const linksOf = (row: Row) =>
    linking.flatMap(({ field }) => {
      const doctype = field.fieldtype === 'Link' ? field.options : String(row[field.options] ?? '');
      const name = row[field.fieldname];
      return typeof name === 'string' && name !== '' && may(doctype, 'read')
        ? [[doctype, name] as const]
        : [];
    });
  const wanted = new Map<string, Set<string>>();
  for (const row of rows)
    for (const [doctype, name] of row ? linksOf(row) : []) {
      const names = wanted.get(doctype) ?? new Set();
      wanted.set(doctype, names.add(name));
    }
  const key = JSON.stringify([...wanted].map(([doctype, names]) => [doctype, ...names]));
  useEffect(() => {
    for (const [doctype, ...names] of JSON.parse(key) as string[][]) if (doctype) wantTitles(doctype, names);
  }, [key]);
  const keyOf = (row: Row | undefined) =>
    row
      ? linksOf(row)
          .map(([doctype, name]) => titleOf(doctype, name) ?? '')
          .join('\n')
      : '';
  return { titleOf, keyOf };
}
