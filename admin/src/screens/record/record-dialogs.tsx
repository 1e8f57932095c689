import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import { ConflictDialog } from '../../form/conflict-dialog.tsx';
import type { RecordModel } from '../../form/record.ts';
import { Checkbox } from '../../widgets/checks.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import css from './record.module.css';

/** The dialogs that a record's buttons open. */
export type DialogName = 'submit' | 'cancel' | 'rename' | 'delete' | 'reload' | 'json';

interface RecordDialogsProps {
  readonly model: RecordModel;
  readonly name: DialogName | null;
  readonly onClose: () => void;
}

/** The open dialog, and the conflict dialog, which opens by itself. */
export function RecordDialogs({ model, name, onClose }: RecordDialogsProps) {
  const go = useGo();
  const { stored, conflict } = useStore(model.state);
  const { doctype } = model;
  const docname = stored?.name ?? '';
  if (conflict)
    return (
      <ConflictDialog
        conflict={conflict}
        onClose={() => model.postpone()}
        onSettle={(kept, isSaving) => {
          model.settle(kept);
          if (isSaving && model.store.isDirty) void model.save();
        }}
      />
    );
  switch (name) {
    case 'submit':
      return (
        <ConfirmDialog
          isOpen
          onClose={onClose}
          title={t('Submit {name}?', { name: docname })}
          action={t('Submit')}
          run={() => model.submit()}
        >
          {t('You cannot change a submitted document. You can only cancel and amend it.')}
        </ConfirmDialog>
      );
    case 'cancel':
      return (
        <ConfirmDialog
          isOpen
          isDanger
          onClose={onClose}
          title={t('Cancel {name}?', { name: docname })}
          action={t('Cancel document')}
          dismissal={t('Keep it')}
          run={() => model.cancel()}
        >
          {t('A cancelled document cannot be changed. Amend it to make a corrected copy.')}
        </ConfirmDialog>
      );
    case 'delete':
      return (
        <DeleteDialog
          doctype={doctype}
          docname={docname}
          onClose={onClose}
          run={async () => {
            await model.delete();
            model.store.rebase(model.store.document());
            toast('success', t('{name} deleted', { name: docname }));
            // Runs after the render in which nothing is dirty. Otherwise the leave guard would ask.
            setTimeout(() => go(paths.list(doctype), { isReplacing: true }));
          }}
        />
      );
    case 'reload':
      return (
        <ConfirmDialog
          isOpen
          isDanger
          onClose={onClose}
          title={t('Discard your changes?')}
          action={t('Reload')}
          run={() => model.reload()}
        >
          {t('Reloads the saved document.')}
        </ConfirmDialog>
      );
    case 'rename':
      return <RenameDialog model={model} docname={docname} onClose={onClose} />;
    case 'json':
      return <JsonDialog model={model} onClose={onClose} />;
    case null:
      return null;
  }
}

interface OwnDialogProps {
  readonly model: RecordModel;
  readonly onClose: () => void;
}

function RenameDialog({ model, docname, onClose }: OwnDialogProps & { readonly docname: string }) {
  const go = useGo();
  const [name, setName] = useState(docname);
  const [isMerge, setMerge] = useState(false);
  const rename = async () => {
    const now = await model.rename(name.trim(), isMerge);
    go(paths.record(model.doctype, now), { isReplacing: true });
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t('Rename {name}', { name: docname })}
      action={t('Rename')}
      run={rename}
    >
      <Stack gap={3}>
        <TextInput
          label={t('New name')}
          value={name}
          onChange={setName}
          dir="auto"
          maxLength={140}
          data-autofocus
        />
        <Checkbox
          isOn={isMerge}
          onChange={setMerge}
          label={t('Merge with the existing document of this name')}
          description={t('Moves all links to that document, then deletes this one.')}
        />
      </Stack>
    </ConfirmDialog>
  );
}

function JsonDialog({ model, onClose }: OwnDialogProps) {
  const text = JSON.stringify(model.state.get().stored, null, 2);
  return (
    <Modal isOpen onClose={onClose} width={760} title={t('As it is stored')}>
      <Stack gap={2}>
        <Row>
          <CopyButton text={text}>{t('Copy')}</CopyButton>
        </Row>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by
            keyboard */}
        <pre className={css['json']} dir="ltr" tabIndex={0}>
          {text}
        </pre>
      </Stack>
    </Modal>
  );
}
