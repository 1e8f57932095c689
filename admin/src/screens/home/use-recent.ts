import { useQueries } from '@tanstack/react-query';
import { moment } from '../../base/format.ts';
import { useBoot, useUser } from '../../data/boot.ts';
import { type Filter, listRows } from '../../data/documents.ts';
import { useFreshness } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { workedDoctypes } from './worked-doctypes.ts';

/** Records shown of the user, and of others. */
const SHOWN = { own: 5, others: 8 } as const;
/** Each doctype costs a request, for the user's records and for those of others. */
const DOCTYPES = 4;

/** A record that changed. */
export interface Recent {
  readonly doctype: string;
  readonly name: string;
  readonly title: string;
  readonly modified: string;
  readonly modified_by: string;
}

/** The last changed records in the user's doctypes, live: by the user, or by others. */
export function useRecent(whose: keyof typeof SHOWN) {
  const boot = useBoot();
  const user = useUser();
  const doctypes = workedDoctypes(boot).slice(0, DOCTYPES);
  useFreshness(doctypes);
  const by: Filter = ['modified_by', whose === 'own' ? '=' : '!=', user.name];
  return useQueries({
    queries: doctypes.map((doctype) =>
      recentQuery(doctype, boot.doctypes.get(doctype)?.title_field ?? '', by, SHOWN[whose]),
    ),
    combine: (results) => ({
      rows: results
        .flatMap(({ data }) => data ?? [])
        .toSorted((a, b) => moment(b.modified) - moment(a.modified))
        .slice(0, SHOWN[whose]),
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.error)?.error ?? null,
      refetch: () => results.map((result) => result.refetch()),
    }),
  });
}

function recentQuery(doctype: string, title: string, by: Filter, length: number) {
  const query = {
    fields: ['name', 'modified', 'modified_by', ...(title !== '' && title !== 'name' ? [title] : [])],
    order_by: 'modified desc',
    limit_page_length: length,
    filters: [by],
  };
  return {
    queryKey: keys.list(doctype, query),
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly Recent[]> => {
      const rows = await listRows(doctype, query, { signal });
      return rows.map((row) => ({
        doctype,
        name: String(row['name']),
        title: String(row[title] || row['name']),
        modified: String(row['modified']),
        modified_by: String(row['modified_by']),
      }));
    },
  };
}
