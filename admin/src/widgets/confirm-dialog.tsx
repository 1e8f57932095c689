import type { FormEvent, ReactNode } from 'react';
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
  /** The consequence, with the exact number of affected records. */
  readonly children?: ReactNode;
  /** The verb: Delete, Submit. */
  readonly action: string;
  /** Label of the button that closes the dialog without acting; "Cancel" by default. */
  readonly dismissal?: string;
  readonly isDanger?: boolean;
  /** The dialog closes when this resolves, and shows the error when it rejects. */
  readonly run: () => Promise<unknown>;
}

/** Asks for confirmation of an action that is hard to undo. */
export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  children,
  action,
  dismissal,
  isDanger,
  run,
}: ConfirmDialogProps) {
  const task = useTask();
  const close = () => {
    task.forget();
    onClose();
  };
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    void task.run(async () => {
      await run();
      close();
    });
  };
  return (
    <Modal isOpen={isOpen} onClose={close} title={title} isSticky={task.isBusy}>
      <form onSubmit={confirm}>
        <Stack>
          {children && <div>{children}</div>}
          {task.error !== null && <ErrorPanel error={task.error} />}
          <Row isApart>
            <Button onClick={close}>{dismissal ?? t('Cancel')}</Button>
            <Button kind={isDanger ? 'danger' : 'primary'} isBusy={task.isBusy} type="submit" data-autofocus>
              {action}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}
