import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { may } from '../../meta/permissions.ts';
import { IconButton } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { remove } from './restriction-data.ts';

interface RemoveButtonProps {
  readonly doctype: 'User Permission' | 'DocShare';
  readonly name: string;
  readonly label: string;
  readonly consequence: string;
}

/** Removes a User Permission or a share after a confirmation. */
export function RemoveButton({ doctype, name, label, consequence }: RemoveButtonProps) {
  const [isAsking, setAsking] = useState(false);
  if (!may(doctype, 'delete')) return null;
  return (
    <>
      <IconButton icon="trash" isSmall label={label} onClick={() => setAsking(true)} />
      {isAsking && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsking(false)}
          title={`${label}?`}
          action={t('Remove')}
          isDanger
          run={() => remove(doctype, name)}
        >
          {consequence}
        </ConfirmDialog>
      )}
    </>
  );
}
