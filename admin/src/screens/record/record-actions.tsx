import { useState } from 'react';
import { useCommands } from '../../base/commands.ts';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { hrefOf, paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { useStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import { commitFocused } from '../../form/commit-focused.ts';
import { useDirty } from '../../form/form-context.ts';
import type { RecordModel } from '../../form/record.ts';
import { type DocActions, docActions } from '../../meta/permissions.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Menu, type MenuItem } from '../../widgets/menu.tsx';
import { type DialogName, RecordDialogs } from './record-dialogs.tsx';

/** The actions that the doctype, the document's state and the user's rights allow. */
export function RecordActions({
  model,
  onStored,
}: {
  readonly model: RecordModel;
  readonly onStored: () => void;
}) {
  const go = useGo();
  const [dialog, open] = useState<DialogName | null>(null);
  const { stored, busy } = useStore(model.state);
  const isDirty = useDirty(model.store);
  const { doctype } = model;
  const actions = docActions(model.bundle.meta, model.rights, {
    docstatus: stored?.docstatus ?? 0,
    isNew: stored === null,
  });
  const save = async () => {
    await commitFocused();
    if (!actions.canWrite) return;
    if (stored !== null && !model.store.isDirty) return toast('info', t('No changes to save'));
    if (await model.save()) onStored();
  };
  const amend = async () => {
    try {
      go(paths.record(doctype, await model.amend()));
    } catch (error) {
      tellFailure(error);
    }
  };
  const undo = () => void model.store.undo();
  const redo = () => void model.store.redo();
  useShortcut('form', 'mod+s', t('Save'), () => void save());
  useShortcut('form', 'mod+Enter', t('Submit'), () => open('submit'), { isOn: actions.canSubmit });
  useShortcut('form', 'mod+z', t('Undo'), undo);
  useShortcut('form', 'shift+mod+z', t('Redo'), redo);
  useShortcut('form', 'mod+y', t('Redo'), redo);
  const items = itemsOf({ model, actions, isDirty, open, go });
  useCommands(
    items.flatMap((item) =>
      typeof item === 'object' && item && 'run' in item
        ? [{ id: `record-${item.label}`, label: item.label, group: t('This record'), run: item.run }]
        : [],
    ),
  );
  const mayBeSubmitted = actions.canSubmit && !isDirty;
  return (
    <>
      {actions.canWrite && (
        <Button
          kind={mayBeSubmitted ? 'default' : 'primary'}
          isBusy={busy === 'save'}
          disabled={stored !== null && !isDirty}
          onClick={() => void save()}
        >
          {t('Save')}
        </Button>
      )}
      {actions.canSubmit && (
        <Button kind={mayBeSubmitted ? 'primary' : 'default'} onClick={() => open('submit')}>
          {t('Submit')}
        </Button>
      )}
      {actions.canCancel && <Button onClick={() => open('cancel')}>{t('Cancel document')}</Button>}
      {actions.canAmend && (
        <Button kind="primary" onClick={() => void amend()}>
          {t('Amend')}
        </Button>
      )}
      <Menu target={<IconButton icon="more" label={t('More actions')} hasTooltip={false} />} items={items} />
      <RecordDialogs model={model} name={dialog} onClose={() => open(null)} />
    </>
  );
}

interface ItemsOptions {
  readonly model: RecordModel;
  readonly actions: DocActions;
  readonly isDirty: boolean;
  readonly open: (dialog: DialogName) => void;
  readonly go: ReturnType<typeof useGo>;
}

function itemsOf({ model, actions, isDirty, open, go }: ItemsOptions): readonly (MenuItem | null | false)[] {
  const { doctype, name } = model;
  if (name === null) return [{ label: t('Undo'), icon: 'history', run: () => void model.store.undo() }];
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
    { label: t('Undo'), icon: 'history', run: () => void model.store.undo() },
    'divider',
    { label: t('Copy link'), icon: 'link', run: () => void copyLink() },
    { label: t('Show as JSON'), icon: 'eye', run: () => open('json') },
    { label: t('Print'), icon: 'file', run: () => window.print() },
    actions.canDelete && 'divider',
    actions.canDelete && { label: t('Delete'), icon: 'trash', isDanger: true, run: () => open('delete') },
  ];
}
