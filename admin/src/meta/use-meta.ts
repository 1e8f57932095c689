import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import { queryClient } from '../data/query-client.ts';
import { send } from '../data/wire.ts';
import { type MetaBundle, metaOf } from './meta.ts';

/**
 * Query of a doctype with its child doctypes. Cached until one of them changes. Use it with `useQuery` where
 * suspending is not possible.
 */
export function metaQuery(doctype: string) {
  return queryOptions({
    queryKey: keys.meta(doctype),
    queryFn: async ({ signal }): Promise<MetaBundle> => {
      // A GET request, so that the browser can revalidate its cached copy.
      const { body } = await send('GET', '/api/method/frappe.desk.form.load.getdoctype', {
        query: { doctype },
        signal,
      });
      const [first, ...rest] = (body as { docs: readonly Readonly<Record<string, unknown>>[] }).docs.map(
        metaOf,
      );
      if (!first) throw new Error(`no definition of ${doctype}`);
      return { meta: first, children: new Map(rest.map((child) => [child.name, child])) };
    },
    staleTime: 10 * 60_000,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** The doctype for a component, which suspends until it is loaded. */
export function useMeta(doctype: string): MetaBundle {
  return useSuspenseQuery(metaQuery(doctype)).data;
}

/** The doctype for code outside components. */
export function loadMeta(doctype: string): Promise<MetaBundle> {
  return queryClient.ensureQueryData(metaQuery(doctype));
}
