import { copyCall } from '../../base/copy-call.ts';
import { t } from '../../base/i18n.ts';
import type { Go } from '../../base/navigation.tsx';
import { hrefOf, paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { resourcePath } from '../../data/documents.ts';
import type { RecordModel } from '../../form/record.ts';
import { type DocActions, may } from '../../meta/permissions.ts';
import type { MenuItem } from '../../widgets/menu.tsx';
import type { DialogName } from './record-dialogs.tsx';

interface ItemsOptions {
  readonly model: RecordModel;
  readonly actions: DocActions;
  readonly isDirty: boolean;
  readonly open: (dialog: DialogName) => void;
  readonly go: Go;
}

/** The further actions of a record. */
export function menuOf({
  model,
  actions,
  isDirty,
  open,
  go,
}: ItemsOptions): readonly (MenuItem | null | false)[] {
  const { doctype, name } = model;
  const undo: MenuItem = {
    label: t('Undo'),
    icon: 'history',
    isDisabled: !model.store.canUndo,
    run: () => void model.store.undo(),
  };
  if (name === null) return [undo];
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(`${location.origin}${hrefOf(paths.record(doctype, name))}`);
      toast('success', t('Link copied'));
    } catch {
      toast('error', t('The browser blocked copying'));
    }
  };
  return [
    actions.canDuplicate && {
      label: t('Duplicate'),
      icon: 'copy',
      run: () => go(paths.newRecord(doctype, { _copy: name })),
    },
    // Renaming reloads the form, so unsaved changes would be lost.
    actions.canRename && { label: t('Rename'), icon: 'edit', isDisabled: isDirty, run: () => open('rename') },
    {
      label: t('Reload'),
      icon: 'refresh',
      run: () => (model.store.isDirty ? open('reload') : void model.reload()),
    },
    undo,
    'divider',
    { label: t('Copy link'), icon: 'link', run: () => void copyLink() },
    { label: t('Copy as API call'), icon: 'copy', run: () => void copyRecord(doctype, name, go) },
    { label: t('Show as JSON'), icon: 'eye', run: () => open('json') },
    doctype === 'Role' &&
      may('Custom DocPerm', 'read') && {
        label: t('Permissions'),
        icon: 'lock',
        run: () => go(paths.permissions({ role: name })),
      },
    actions.canPrint && { label: t('Print'), icon: 'file', run: () => open('print') },
    actions.canDelete && 'divider',
    actions.canDelete && { label: t('Delete'), icon: 'trash', isDanger: true, run: () => open('delete') },
  ];
}

function copyRecord(doctype: string, name: string, go: Go): Promise<void> {
  const call = { verb: 'GET', path: resourcePath(doctype, name), query: {}, body: '' };
  return copyCall(call, () => go(paths.apiDoctype(doctype, { call: 'read', values: { name } })));
}
