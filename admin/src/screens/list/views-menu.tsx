import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { usePart } from '../../base/use-part.ts';
import { useUser } from '../../data/boot.ts';
import { updateDocument } from '../../data/documents.ts';
import type { ListSearch } from '../../grid/list-search.ts';
import { Button } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Menu, type MenuItem } from '../../widgets/menu.tsx';
import {
  fieldsOf,
  isViewShown,
  refreshViews,
  SAVED_VIEW,
  type SavedView,
  viewsQuery,
} from './saved-views.ts';

export interface ViewsMenuProps {
  readonly doctype: string;
  readonly search: ListSearch;
  readonly onChoose: (view: SavedView | null) => void;
}

const loadViewDialog = async () => (await import('./view-dialogs.tsx')).ViewDialog;
const loadDeleteView = async () => (await import('./view-dialogs.tsx')).DeleteView;

type Dialog = { readonly kind: 'new' | 'edit' | 'delete'; readonly view: SavedView | null };

/** The saved views of a doctype: choose one, save the current state, edit and delete. */
export function ViewsMenu({ doctype, search, onChoose }: ViewsMenuProps) {
  const user = useUser();
  const { data: views = [] } = useQuery(viewsQuery(doctype));
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const ViewDialog = usePart(dialog !== null, loadViewDialog);
  const DeleteView = usePart(dialog !== null, loadDeleteView);
  const current = views.find((view) => view.name === search.view) ?? null;
  const isMine = current !== null && (current.owner === user.name || user.isSystemManager);
  const isChanged = current !== null && !isViewShown(current, search);
  const update = async (view: SavedView) => {
    await updateDocument(SAVED_VIEW, view.name, fieldsOf(search));
    await refreshViews();
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
              run: () => void update(current).catch(tellFailure),
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
      {ViewDialog && dialog && dialog.kind !== 'delete' && (
        <ViewDialog
          doctype={doctype}
          search={search}
          view={dialog.view}
          onClose={() => setDialog(null)}
          onSaved={onChoose}
        />
      )}
      {DeleteView && dialog?.kind === 'delete' && dialog.view && (
        <DeleteView view={dialog.view} onClose={() => setDialog(null)} onDeleted={() => onChoose(null)} />
      )}
    </>
  );
}
