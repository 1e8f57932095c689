import { t } from '../../base/i18n.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import type { FileQuestion } from './file-actions.ts';
import { createFolder, refreshFiles, rename } from './file-data.ts';
import { LinkDialog } from './link-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';
import { PrivacyDialog } from './privacy-dialog.tsx';

interface FileDialogsProps {
  readonly question: FileQuestion;
  readonly onClose: () => void;
  /** Called after a folder's path has changed. */
  readonly onRenamed: (from: string, to: string) => void;
  /** Called after files were deleted or moved away. */
  readonly onGone: (names: readonly string[]) => void;
}

/** The dialog for the open question. */
export function FileDialogs({ question, onClose, onRenamed, onGone }: FileDialogsProps) {
  switch (question.kind) {
    case 'new folder':
      return (
        <NameDialog
          title={t('New folder')}
          label={t('Name')}
          action={t('Create folder')}
          initial=""
          onClose={onClose}
          run={async (title) => {
            await createFolder(question.folder, title);
            await refreshFiles();
          }}
        />
      );
    case 'rename': {
      const { item } = question;
      return (
        <NameDialog
          title={item.isFolder ? t('Rename folder') : t('Rename file')}
          label={t('Name')}
          action={t('Rename')}
          initial={item.title}
          onClose={onClose}
          run={async (title) => {
            const name = await rename(item, title);
            if (item.isFolder) onRenamed(item.name, name);
            await refreshFiles();
          }}
        />
      );
    }
    case 'move':
      return <MoveDialog items={question.items} onClose={onClose} onMoved={onGone} />;
    case 'link':
      return <LinkDialog item={question.item} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog items={question.items} onClose={onClose} onGone={onGone} />;
    case 'privacy':
      return <PrivacyDialog items={question.items} isPrivate={question.isPrivate} onClose={onClose} />;
  }
}
