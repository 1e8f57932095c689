import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { RecordModel } from '../../form/record.ts';
import { Checkbox } from '../../widgets/checks.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Stack } from '../../widgets/layout.tsx';

interface RenameDialogProps {
  readonly model: RecordModel;
  readonly docname: string;
  readonly onClose: () => void;
}

/** Asks for the new name of a document. */
export function RenameDialog({ model, docname, onClose }: RenameDialogProps) {
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
