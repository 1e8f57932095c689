import { useQuery } from '@tanstack/react-query';
import { type Delivery, LOG, listDeliveries } from '../../../data/deliveries.ts';
import type { Filter } from '../../../data/documents.ts';
import { useFreshness } from '../../../data/events.ts';
import { keys } from '../../../data/keys.ts';
import { may } from '../../../meta/permissions.ts';
import { type CommentRow, commentsQuery, MOST, type VersionRow, versionsQuery } from './beside-data.ts';

/** Something that happened to a document. */
export type Happening =
  | { readonly kind: 'comment'; readonly at: string; readonly comment: CommentRow }
  | { readonly kind: 'version'; readonly at: string; readonly version: VersionRow }
  | { readonly kind: 'delivery'; readonly at: string; readonly delivery: Delivery };

export type Kind = Happening['kind'];

/** All that happened to a document, newest first, and the kinds that the user may read. */
export function useActivity(doctype: string, name: string) {
  const kinds: readonly Kind[] = [
    ...(may('Comment', 'read') ? (['comment'] as const) : []),
    ...(may('Version', 'read') ? (['version'] as const) : []),
    ...(may(LOG, 'read') ? (['delivery'] as const) : []),
  ];
  useFreshness(kinds.includes('delivery') ? [LOG] : []);
  const isOn = (kind: Kind) => ({ enabled: kinds.includes(kind) });
  const comments = useQuery({ ...commentsQuery(doctype, name), ...isOn('comment') });
  const versions = useQuery({ ...versionsQuery(doctype, name), ...isOn('version') });
  const deliveries = useQuery({ ...deliveriesQuery(doctype, name), ...isOn('delivery') });
  const all: readonly Happening[] = [
    ...(comments.data ?? []).map((comment) => ({ kind: 'comment' as const, at: comment.creation, comment })),
    ...(versions.data ?? []).map((version) => ({ kind: 'version' as const, at: version.creation, version })),
    ...(deliveries.data ?? []).map((delivery) => ({
      kind: 'delivery' as const,
      at: delivery.creation,
      delivery,
    })),
  ];
  const queries = [comments, versions, deliveries];
  return {
    kinds,
    all: all.toSorted((one, other) => other.at.localeCompare(one.at)),
    error: queries.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const query of queries) if (query.error) void query.refetch();
    },
    isPending: queries.some(({ isLoading }) => isLoading),
  };
}

function deliveriesQuery(doctype: string, name: string) {
  const filters: readonly Filter[] = [
    ['reference_doctype', '=', doctype],
    ['reference_document', '=', name],
  ];
  return {
    queryKey: keys.list(LOG, { filters, limit_page_length: MOST }),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => listDeliveries(filters, {}, signal),
  };
}
