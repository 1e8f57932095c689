import { useState } from 'react';
import { useCommands } from '../../base/commands.ts';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { useStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import { commitFocused } from '../../form/commit-focused.ts';
import { useDirty } from '../../form/form-context.ts';
import type { RecordModel } from '../../form/record.ts';
import { docActions } from '../../meta/permissions.ts';
import type { DialogName } from './record-dialogs.tsx';
import { menuOf } from './record-menu.ts';

/** What the user can do with a record, by button, key and command. */
export function useRecordActions(model: RecordModel, onStored: () => void) {
  const go = useGo();
  const [dialog, open] = useState<DialogName | null>(null);
  const { stored, busy } = useStore(model.state);
  const isDirty = useDirty(model.store);
  const docstatus = stored?.docstatus ?? 0;
  const actions = docActions(model.bundle.meta, model.rights, {
    docstatus,
    isNew: stored === null,
  });
  const save = async () => {
    await commitFocused();
    if (!actions.canWrite) return;
    if (stored !== null && !model.store.isDirty) return toast('info', t('No changes to save'));
    if (await model.save()) onStored();
  };
  const undo = () => void model.store.undo();
  const redo = () => void model.store.redo();
  useShortcut('form', 'mod+s', t('Save'), () => void save());
  useShortcut('form', 'mod+Enter', t('Submit'), () => open('submit'), { isOn: actions.canSubmit });
  useShortcut('form', 'mod+z', t('Undo'), undo);
  useShortcut('form', 'shift+mod+z', t('Redo'), redo);
  useShortcut('form', 'mod+y', t('Redo'), redo);
  const items = menuOf({ model, actions, isDirty, open, go });
  useCommands(
    items.flatMap((item) =>
      typeof item === 'object' && item && 'run' in item
        ? [
            {
              id: `record-${item.label}`,
              label: item.label,
              icon: item.icon,
              group: t('This record'),
              run: item.run,
            },
          ]
        : [],
    ),
  );
  return { model, actions, items, dialog, open, isDirty, isNew: stored === null, docstatus, busy, save };
}

export type RecordActionsState = ReturnType<typeof useRecordActions>;
