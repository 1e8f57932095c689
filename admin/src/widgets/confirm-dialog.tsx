import { type ReactNode, useState } from 'react';
import { t } from '../base/i18n.ts';
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
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await run();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal isOpen={isOpen} onClose={close} title={title} isSticky={isBusy}>
      <Stack>
        {children && <div>{children}</div>}
        {error !== null && <ErrorPanel error={error} />}
        <Row isApart>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button kind={isDanger ? 'danger' : 'primary'} isBusy={isBusy} onClick={confirm} data-autofocus>
            {action}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
