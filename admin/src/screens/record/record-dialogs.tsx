import { lazy, Suspense } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import { ConflictDialog } from '../../form/conflict-dialog.tsx';
import type { RecordModel } from '../../form/record.ts';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { JsonDialog } from './json-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';

// Loaded lazily, because few records are printed.
const PrintDialog = lazy(async () => ({ default: (await import('./print-dialog.tsx')).PrintDialog }));

/** The dialogs that a record's buttons open. */
export type DialogName = 'submit' | 'cancel' | 'rename' | 'delete' | 'reload' | 'json' | 'print';

interface RecordDialogsProps {
  readonly model: RecordModel;
  readonly name: DialogName | null;
  readonly onClose: () => void;
}

/** The open dialog, and the conflict dialog, which opens by itself. */
export function RecordDialogs({ model, name, onClose }: RecordDialogsProps) {
  const { stored, conflict } = useStore(model.state);
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
    case 'delete':
      return <Deletion model={model} docname={docname} onClose={onClose} />;
    case 'rename':
      return <RenameDialog model={model} docname={docname} onClose={onClose} />;
    case 'json':
      return <JsonDialog model={model} onClose={onClose} />;
    case 'print':
      return (
        <Suspense fallback={null}>
          <PrintDialog model={model} docname={docname} onClose={onClose} />
        </Suspense>
      );
    case null:
      return null;
    default:
      return (
        <ConfirmDialog isOpen onClose={onClose} {...questionOf(name, model, docname)}>
          {adviceOf(name)}
        </ConfirmDialog>
      );
  }
}

type Question = Exclude<DialogName, 'delete' | 'rename' | 'json' | 'print'>;

function questionOf(name: Question, model: RecordModel, docname: string) {
  switch (name) {
    case 'submit':
      return {
        title: t('Submit {name}?', { name: docname }),
        action: t('Submit'),
        run: () => model.submit(),
      };
    case 'cancel':
      return {
        isDanger: true,
        title: t('Cancel {name}?', { name: docname }),
        action: t('Cancel {doctype}', { doctype: t(model.doctype) }),
        dismissal: t('Keep it'),
        run: () => model.cancel(),
      };
    case 'reload':
      return {
        isDanger: true,
        title: t('Discard your changes?'),
        action: t('Discard changes'),
        dismissal: t('Keep editing'),
        run: () => model.reload(),
      };
  }
}

function adviceOf(name: Question): string {
  if (name === 'submit')
    return t('You cannot change a submitted document. You can only cancel and amend it.');
  return name === 'cancel'
    ? t('A cancelled document cannot be changed. Amend it to make a corrected copy.')
    : t('Reloads the saved document.');
}

interface DeletionProps {
  readonly model: RecordModel;
  readonly docname: string;
  readonly onClose: () => void;
}

function Deletion({ model, docname, onClose }: DeletionProps) {
  const go = useGo();
  return (
    <DeleteDialog
      doctype={model.doctype}
      docname={docname}
      onClose={onClose}
      run={async () => {
        await model.delete();
        model.store.rebase(model.store.document());
        toast('success', t('{name} deleted', { name: docname }));
        // Runs after the render in which nothing is dirty. Otherwise the leave guard would ask.
        setTimeout(() => go(paths.list(model.doctype), { isReplacing: true }));
      }}
    />
  );
}
