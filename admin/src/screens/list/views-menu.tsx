import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useUser } from '../../data/boot.ts';
import { createDocument, deleteDocument, updateDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import type { ListSearch } from '../../grid/list-search.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { Menu, type MenuItem } from '../../widgets/menu.tsx';
import { fieldsOf, isViewShown, SAVED_VIEW, type SavedView, viewsQuery } from './saved-views.ts';

export interface ViewsMenuProps {
  readonly doctype: string;
  readonly search: ListSearch;
  readonly onChoose: (view: SavedView | null) => void;
}

type Dialog = { readonly kind: 'new' | 'edit' | 'delete'; readonly view: SavedView | null };

/** The saved views of a doctype: to choose one, keep what is shown as one, and change those one may change. */
export function ViewsMenu({ doctype, search, onChoose }: ViewsMenuProps) {
  const user = useUser();
  const { data: views = [] } = useQuery(viewsQuery(doctype));
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const current = views.find((view) => view.name === search.view) ?? null;
  const isMine = current !== null && (current.owner === user.name || user.isSystemManager);
  const isChanged = current !== null && !isViewShown(current, search);
  const update = async (view: SavedView) => {
    await updateDocument(SAVED_VIEW, view.name, fieldsOf(search));
    await refresh();
    toast('success', t('View {label} saved', { label: view.label }));
  };
  const own = views.filter((view) => !view.isShared);
  const shared = views.filter((view) => view.isShared);
  const item = (view: SavedView): MenuItem => ({
    label: view.isDefault ? `★ ${view.label}` : view.label,
    isChecked: view === current,
    run: () => onChoose(view),
  });
  return (
    <>
      <Menu
        label={t('Views')}
        target={
          <Button endIcon="down">{current ? `${current.label}${isChanged ? ' *' : ''}` : t('Views')}</Button>
        }
        items={[
          { label: t('All records'), isChecked: current === null, run: () => onChoose(null) },
          own.length > 0 && { heading: t('My views') },
          ...own.map(item),
          shared.length > 0 && { heading: t('Shared views') },
          ...shared.map(item),
          'divider',
          {
            label: t('Save as a new view…'),
            icon: 'plus',
            run: () => setDialog({ kind: 'new', view: null }),
          },
          isMine &&
            isChanged && {
              label: t('Save changes to this view'),
              icon: 'check',
              run: () => void update(current).catch(complain),
            },
          isMine && {
            label: t('Rename or share…'),
            icon: 'edit',
            run: () => setDialog({ kind: 'edit', view: current }),
          },
          isMine && {
            label: t('Delete this view…'),
            icon: 'trash',
            isDanger: true,
            run: () => setDialog({ kind: 'delete', view: current }),
          },
        ]}
      />
      {dialog && dialog.kind !== 'delete' && (
        <ViewDialog
          doctype={doctype}
          search={search}
          view={dialog.view}
          onClose={() => setDialog(null)}
          onSaved={onChoose}
        />
      )}
      {dialog?.kind === 'delete' && dialog.view && (
        <DeleteView view={dialog.view} onClose={() => setDialog(null)} onDeleted={() => onChoose(null)} />
      )}
    </>
  );
}

function complain(error: unknown): void {
  toast('error', error instanceof Error ? error.message : t('This did not work'));
}

async function refresh(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.lists(SAVED_VIEW) });
}

interface ViewDialogProps extends Omit<ViewsMenuProps, 'onChoose'> {
  readonly view: SavedView | null;
  readonly onClose: () => void;
  readonly onSaved: (view: SavedView) => void;
}

function ViewDialog({ doctype, search, view, onClose, onSaved }: ViewDialogProps) {
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
    await refresh();
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
            label={t('Shared with everybody who may see these records')}
            isOn={isShared}
            onChange={setShared}
          />
        )}
        {(!isShared || user.isSystemManager) && (
          <Checkbox
            label={isShared ? t('The list begins with it, for everybody') : t('The list begins with it')}
            isOn={isDefault}
            onChange={setDefault}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}

function DeleteView({
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
    await refresh();
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
        ? t('{label} goes for everybody. No record is touched.', { label: view.label })
        : t('{label} goes. No record is touched.', { label: view.label })}
    </ConfirmDialog>
  );
}
