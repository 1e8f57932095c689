import { t, tn } from '../../base/i18n.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { setPrivate } from './file-data.ts';
import type { FileItem } from './file-item.ts';

/** Makes files private or public. Leaves out those that are so already. */
export function PrivacyDialog({
  items,
  isPrivate,
  onClose,
}: {
  readonly items: readonly FileItem[];
  readonly isPrivate: boolean;
  readonly onClose: () => void;
}) {
  const changed = items.filter((item) => !item.isFolder && item.isPrivate !== isPrivate);
  return (
    <BulkDialog
      items={changed}
      onClose={onClose}
      title={
        isPrivate
          ? tn(changed.length, 'Make {count} file private?', 'Make {count} files private?')
          : tn(changed.length, 'Make {count} file public?', 'Make {count} files public?')
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
