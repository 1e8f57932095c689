import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useUser } from '../../data/boot.ts';
import { createDocument, deleteDocument, updateDocument } from '../../data/documents.ts';
import type { ListSearch } from '../../grid/list-search.ts';
import { may } from '../../meta/permissions.ts';
import { Checkbox } from '../../widgets/checks.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { fieldsOf, refreshViews, SAVED_VIEW, type SavedView } from './saved-views.ts';

export interface ViewDialogProps {
  readonly doctype: string;
  readonly search: ListSearch;
  readonly view: SavedView | null;
  readonly onClose: () => void;
  readonly onSaved: (view: SavedView) => void;
}

/** Saves the list's state as a view, or edits a view. */
export function ViewDialog({ doctype, search, view, onClose, onSaved }: ViewDialogProps) {
  const user = useUser();
  const [label, setLabel] = useState(view?.label ?? '');
  const [isShared, setShared] = useState(view?.isShared ?? false);
  const [isDefault, setDefault] = useState(view?.isDefault ?? false);
  const mayShare = user.isSystemManager || may(doctype, 'share');
  const save = async () => {
    const fields = { label: label.trim(), is_shared: Number(isShared), is_default: Number(isDefault) };
    const { doc } = view
      ? await updateDocument(SAVED_VIEW, view.name, fields)
      : await createDocument(SAVED_VIEW, { ...fields, ...fieldsOf(search), reference_doctype: doctype });
    await refreshViews();
    onSaved({
      name: doc.name,
      label: fields.label,
      owner: doc.owner,
      isShared,
      isDefault,
      search: view?.search ?? search,
    });
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={view ? t('Change the view') : t('Save as a new view')}
      action={t('Save')}
      run={save}
    >
      <Stack gap={3}>
        <TextInput
          label={t('Name')}
          value={label}
          onChange={setLabel}
          isRequired
          maxLength={140}
          data-autofocus
        />
        {mayShare && (
          <Checkbox
            label={t('Share with all readers of these records')}
            isOn={isShared}
            onChange={setShared}
          />
        )}
        {(!isShared || user.isSystemManager) && (
          <Checkbox
            label={isShared ? t('Use as default view for everyone') : t('Use as default view')}
            isOn={isDefault}
            onChange={setDefault}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}

/** Confirms the deletion of a view. */
export function DeleteView({
  view,
  onClose,
  onDeleted,
}: {
  readonly view: SavedView;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const run = async () => {
    await deleteDocument(SAVED_VIEW, view.name);
    await refreshViews();
    onDeleted();
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t('Delete this view?')}
      action={t('Delete')}
      isDanger
      run={run}
    >
      {view.isShared
        ? t('Removes {label} for everyone. Records are not changed.', { label: view.label })
        : t('Removes {label}. Records are not changed.', { label: view.label })}
    </ConfirmDialog>
  );
}
