import { useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { t } from '../../base/i18n.ts';
import { useLeaveGuard } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { isApiError } from '../../data/api-error.ts';
import { createDocument, updateDocument, type Versioned } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { makeEditor } from './editor-context.ts';
import { changesOf, type Draft, draftOf, makeDraft } from './webhook-draft.ts';

/** The draft of a webhook, what differs from the stored one, and its saving. */
export function useWebhookEditor(
  known: Versioned | null,
  defaults: Partial<Draft> | undefined,
  onSaved: (saved: Versioned) => void,
) {
  const client = useQueryClient();
  const [base, setBase] = useState(known);
  const [editor] = useState(() => makeEditor(makeDraft(known?.doc ?? null, defaults), known !== null));
  const { isBusy, error, run } = useTask();
  const stored = base === null ? null : draftOf(base.doc);
  const isDirty = useSyncExternalStore(editor.draft.subscribe, () => isChanged(editor.draft.get(), stored));
  const [isDone, setDone] = useState(false);
  const [first] = useState(() => JSON.stringify(editor.draft.get()));
  // A new webhook in which nothing was typed is lost without regret.
  const isTyped = useSyncExternalStore(
    editor.draft.subscribe,
    () => base !== null || JSON.stringify(editor.draft.get()) !== first,
  );
  const held = useLeaveGuard(isDirty && isTyped && !isDone);
  const write = async () => {
    editor.isTried.set(true);
    const changes = changesOf(editor.draft.get(), stored);
    const saved =
      base === null
        ? await createDocument('Webhook', changes)
        : await updateDocument('Webhook', base.doc.name, changes, { etag: base.etag });
    editor.problems.set([]);
    void client.invalidateQueries({ queryKey: keys.lists('Webhook') });
    void client.invalidateQueries({ queryKey: ['method', 'chancery.webhook.overview'] });
    if (base === null) setDone(true);
    else {
      setBase(saved);
      editor.draft.set(draftOf(saved.doc));
      client.setQueryData(keys.doc('Webhook', saved.doc.name), saved);
      toast('success', t('Saved'));
    }
    onSaved(saved);
  };
  const save = () =>
    run(write, (failure) => {
      if (isApiError(failure)) editor.problems.set(failure.messages);
    });
  useShortcut('form', 'mod+s', t('Save'), () => void save());
  return { editor, base, stored, isDirty, isBusy, error, save, held };
}

function isChanged(draft: Draft, stored: Draft | null): boolean {
  return stored === null || Object.keys(changesOf(draft, stored)).length > 0;
}
