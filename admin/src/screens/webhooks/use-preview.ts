import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { previewWebhook } from '../../data/webhooks.ts';
import type { EditorState } from './editor-context.ts';
import { changesOf, type Draft } from './webhook-draft.ts';

/** Debounce in milliseconds. */
const TYPING = 400;

/** Preview of the edited webhook's request. Also returns the editor's problems. */
export function usePreview(
  editor: EditorState,
  webhook: string | null,
  stored: Draft | null,
  document: string,
) {
  const draft = useSyncExternalStore(editor.draft.subscribe, editor.draft.get);
  const [settled, setSettled] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), TYPING);
    return () => clearTimeout(timer);
  }, [draft]);
  const changes = changesOf({ ...settled, secret: '' }, stored);
  const isChanged = stored === null || Object.keys(changes).length > 0;
  const args = {
    ...(webhook === null ? {} : { webhook }),
    ...(isChanged ? { changes } : {}),
    ...(document === '' ? {} : { document }),
  };
  const query = useQuery({
    queryKey: ['method', 'chancery.webhook.preview', args],
    queryFn: ({ signal }) => previewWebhook(args, signal),
    enabled: settled.webhook_doctype !== '',
    placeholderData: keepPreviousData,
    // The signature includes the current time, so a cached preview would be stale.
    staleTime: 0,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const { data, isPlaceholderData } = query;
  useEffect(() => {
    if (!data || isPlaceholderData) return;
    editor.problems.set(data.problems);
    if (data.problems.length === 0) editor.preview.set(data);
  }, [data, isPlaceholderData, editor]);
  return { ...query, isPending: draft !== settled || query.isFetching };
}
