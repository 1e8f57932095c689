import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';
import { useTask } from '../base/use-task.ts';
import { Button } from './button.tsx';
import { Modal } from './dialogs.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { Row, Stack } from './layout.tsx';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen, with the exact number of what it happens to. */
  readonly children?: ReactNode;
  /** The verb: Delete, Submit. */
  readonly action: string;
  readonly isDanger?: boolean;
  /** Closes when it resolves; shows why when it rejects. */
  readonly run: () => Promise<unknown>;
}

/** Asks before something that is not easily undone. */
export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  children,
  action,
  isDanger,
  run,
}: ConfirmDialogProps) {
  const task = useTask();
  const close = () => {
    task.forget();
    onClose();
  };
  const confirm = () =>
    task.run(async () => {
      await run();
      close();
    });
  return (
    <Modal isOpen={isOpen} onClose={close} title={title} isSticky={task.isBusy}>
      <Stack>
        {children && <div>{children}</div>}
        {task.error !== null && <ErrorPanel error={task.error} />}
        <Row isApart>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button
            kind={isDanger ? 'danger' : 'primary'}
            isBusy={task.isBusy}
            onClick={confirm}
            data-autofocus
          >
            {action}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
