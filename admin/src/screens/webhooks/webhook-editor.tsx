import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { t } from '../../base/i18n.ts';
import { useLeaveGuard } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { isApiError } from '../../data/api-error.ts';
import { createDocument, updateDocument, type Versioned } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../widgets/button.tsx';
import { Switch } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert, Badge } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { BodyPart } from './body-part.tsx';
import { DeliveryPart, SecurityPart } from './delivery-part.tsx';
import { EditorContext, makeEditor, useEdited } from './editor-context.ts';
import { EventPart } from './event-part.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { RequestPart } from './request-part.tsx';
import { changesOf, type Draft, draftOf, makeDraft } from './webhook-draft.ts';
import css from './webhooks.module.css';

/** Creates or edits a webhook, with a preview of its request. */
export function WebhookEditor({
  known,
  defaults,
  extra,
  onSaved,
}: {
  /** The stored webhook; null for a new one. */
  readonly known: Versioned | null;
  readonly defaults?: Partial<Draft>;
  /** More actions. */
  readonly extra?: ReactNode;
  readonly onSaved: (saved: Versioned) => void;
}) {
  const client = useQueryClient();
  const [base, setBase] = useState(known);
  const [editor] = useState(() => makeEditor(makeDraft(known?.doc ?? null, defaults), known !== null));
  const { isBusy, error, run } = useTask();
  const stored = base === null ? null : draftOf(base.doc);
  const isDirty = useSyncExternalStore(editor.draft.subscribe, () => isChanged(editor.draft.get(), stored));
  const [isDone, setDone] = useState(false);
  const held = useLeaveGuard(isDirty && !isDone);
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
  const reason = base?.doc['disabled_reason'];
  return (
    <EditorContext value={editor}>
      <Stack>
        <Row isApart>
          <Row gap={3}>
            <Enabled />
            {isDirty && base !== null && <Badge tone="warning">{t('Not saved')}</Badge>}
          </Row>
          <Row>
            {extra}
            <Button kind="primary" isBusy={isBusy} disabled={!isDirty} onClick={save}>
              {base === null ? t('Create webhook') : t('Save')}
            </Button>
          </Row>
        </Row>
        {typeof reason === 'string' && reason !== '' && (
          <Alert tone="warning" title={t('The system disabled this webhook')}>
            {reason}
          </Alert>
        )}
        {error !== null && <ErrorPanel error={error} />}
        <div className={css['editor']}>
          <div className={css['parts']}>
            <EventPart />
            <RequestPart />
            <BodyPart />
            <DeliveryPart />
            <SecurityPart webhook={base?.doc.name ?? null} />
          </div>
          <PreviewPanel webhook={base?.doc.name ?? null} stored={stored} isDirty={isDirty} />
        </div>
      </Stack>
      {held && (
        <Modal isOpen onClose={held.stay} title={t('Leave without saving?')}>
          <Stack>
            <span>{t('Your changes to this webhook will be lost.')}</span>
            <Row isApart>
              <Button onClick={held.stay}>{t('Stay')}</Button>
              <Button kind="danger" onClick={held.leave}>
                {t('Discard changes')}
              </Button>
            </Row>
          </Stack>
        </Modal>
      )}
    </EditorContext>
  );
}

function Enabled() {
  const { value, onChange } = useEdited('enabled');
  return <Switch label={t('Enabled')} isOn={value} onChange={onChange} />;
}

function isChanged(draft: Draft, stored: Draft | null): boolean {
  return stored === null || Object.keys(changesOf(draft, stored)).length > 0;
}
