import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import type { Versioned } from '../../data/documents.ts';
import { Button } from '../../widgets/button.tsx';
import { Switch } from '../../widgets/checks.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert, Badge } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { BodyPart } from './body-part.tsx';
import { DeliveryPart, SecurityPart } from './delivery-part.tsx';
import { EditorContext, useEdited } from './editor-context.ts';
import { EventPart } from './event-part.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { RequestPart } from './request-part.tsx';
import { useWebhookEditor } from './use-webhook-editor.ts';
import type { Draft } from './webhook-draft.ts';
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
  const { editor, base, stored, isDirty, isBusy, error, save, held } = useWebhookEditor(
    known,
    defaults,
    onSaved,
  );
  const reason = base?.doc['disabled_reason'];
  return (
    <EditorContext value={editor}>
      <Stack>
        <div className={css['actions']} data-stays>
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
        </div>
        {typeof reason === 'string' && reason !== '' && (
          <Alert tone="warning" title={t('The system disabled this webhook')}>
            {reason}
          </Alert>
        )}
        {error !== null && <ErrorPanel error={error} refused={t('Couldn’t save')} />}
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
      {held && <UnsavedDialog held={held} />}
    </EditorContext>
  );
}

function Enabled() {
  const { value, onChange } = useEdited('enabled');
  return <Switch label={t('Enabled')} isOn={value} onChange={onChange} />;
}

function UnsavedDialog({
  held,
}: {
  readonly held: { readonly stay: () => void; readonly leave: () => void };
}) {
  return (
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
  );
}
