import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import { queryClient } from '../data/query-client.ts';
import { send } from '../data/wire.ts';
import { type MetaBundle, metaOf } from './meta.ts';

/**
 * A doctype with its child doctypes: asked once, and again after one of them changed. For `useQuery` where
 * nothing may suspend.
 */
export function metaQuery(doctype: string) {
  return queryOptions({
    queryKey: keys.meta(doctype),
    queryFn: async ({ signal }): Promise<MetaBundle> => {
      // By GET, so that the browser may ask whether what it has still stands.
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

/** The same for components, which wait until it is there: the nearest `Suspense` shows that. */
export function useMeta(doctype: string): MetaBundle {
  return useSuspenseQuery(metaQuery(doctype)).data;
}

/** The same for anything else. */
export function loadMeta(doctype: string): Promise<MetaBundle> {
  return queryClient.ensureQueryData(metaQuery(doctype));
}
