import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Row, Stack, Truncate } from '../../widgets/layout.tsx';
import { moveTo, refreshFiles } from './file-data.ts';
import { type FileItem, HOME, isWithin } from './file-item.ts';
import css from './files.module.css';
import { FolderTree } from './folder-tree.tsx';

interface MoveDialogProps {
  readonly items: readonly FileItem[];
  readonly onClose: () => void;
  readonly onMoved: (names: readonly string[]) => void;
}

/** Asks for the target folder of a move. */
export function MoveDialog({ items, onClose, onMoved }: MoveDialogProps) {
  const [folder, setFolder] = useState(items[0]?.folder || HOME);
  const { isBusy, error, run } = useTask();
  const isInside = items.some((item) => item.isFolder && isWithin(folder, item.name));
  const isThere = items.every((item) => item.folder === folder);
  const move = () =>
    run(async () => {
      const names = items.map(({ name }) => name);
      await moveTo(folder, names);
      onMoved(names);
      await refreshFiles();
      toast('success', tn(names.length, '{count} item moved', '{count} items moved'));
      onClose();
    });
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={tn(items.length, 'Move {count} item', 'Move {count} items')}
      isSticky={isBusy}
    >
      <Stack gap={3}>
        <div className={css['moveTree']}>
          <FolderTree label={t('Move to')} current={folder} onChoose={setFolder} takesFocus />
        </div>
        <Truncate text={t('To: {folder}', { folder })} />
        {error !== null && <ErrorPanel error={error} />}
        <Row isApart>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" isBusy={isBusy} disabled={isInside || isThere} onClick={move}>
            {t('Move')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
