import { t, tn } from '../../base/i18n.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { countsOf } from './chosen.ts';
import { deleteFile } from './file-data.ts';
import type { FileItem } from './file-item.ts';

/** Deletes files and empty folders. */
export function DeleteDialog({
  items,
  onClose,
  onGone,
}: {
  readonly items: readonly FileItem[];
  readonly onClose: () => void;
  readonly onGone: (names: readonly string[]) => void;
}) {
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

function deleteTitle(items: Parameters<typeof countsOf>[0]): string {
  const { files, folders } = countsOf(items);
  if (folders === 0) return tn(files, 'Delete {count} file?', 'Delete {count} files?');
  if (files === 0) return tn(folders, 'Delete {count} folder?', 'Delete {count} folders?');
  return t('Delete {files} and {folders}?', {
    files: tn(files, '{count} file', '{count} files'),
    folders: tn(folders, '{count} folder', '{count} folders'),
  });
}
