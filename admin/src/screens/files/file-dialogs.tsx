import { t, tn } from '../../base/i18n.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { countsOf } from './chosen.ts';
import type { FileQuestion } from './file-actions.ts';
import { createFolder, deleteFile, refreshFiles, rename, setPrivate } from './file-data.ts';
import { LinkDialog } from './link-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';

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
    case 'delete': {
      const { items } = question;
      return (
        <BulkDialog
          items={items}
          onClose={onClose}
          title={deleteTitle(items)}
          action={t('Delete')}
          isDanger
          run={deleteFile}
          onDone={onGone}
          saying={(count) => tn(count, '{count} item deleted', '{count} items deleted')}
        >
          {t('Removes the files from documents they are attached to. Only empty folders are deleted.')}
        </BulkDialog>
      );
    }
    case 'privacy': {
      const { isPrivate } = question;
      const items = question.items.filter((item) => !item.isFolder && item.isPrivate !== isPrivate);
      return (
        <BulkDialog
          items={items}
          onClose={onClose}
          title={
            isPrivate
              ? tn(items.length, 'Make {count} file private?', 'Make {count} files private?')
              : tn(items.length, 'Make {count} file public?', 'Make {count} files public?')
          }
          action={isPrivate ? t('Make private') : t('Make public')}
          run={(name) => setPrivate(name, isPrivate)}
          saying={(count) =>
            isPrivate
              ? tn(count, '{count} file is private now', '{count} files are private now')
              : tn(count, '{count} file is public now', '{count} files are public now')
          }
        >
          {isPrivate
            ? t('Their addresses change. Existing links stop working.')
            : t('Anyone with the link can read them without signing in.')}
        </BulkDialog>
      );
    }
  }
}

function deleteTitle(items: Parameters<typeof countsOf>[0]): string {
  const { files, folders } = countsOf(items);
  if (folders === 0) return tn(files, 'Delete {count} file?', 'Delete {count} files?');
  if (files === 0) return tn(folders, 'Delete {count} folder?', 'Delete {count} folders?');
  return t('Delete {files} and {folders}?', {
    files: tn(files, '{count} file', '{count} files'),
    folders: tn(folders, '{count} folder', '{count} folders'),
  });
}
