import { type ReactNode, useState } from 'react';
import { t } from '../base/i18n.ts';
import { Button } from './button.tsx';
import { Checkbox } from './checks.tsx';
import { Modal } from './dialogs.tsx';
import { Alert } from './feedback.tsx';
import { Row, Stack } from './layout.tsx';

/** Shows a secret once. Closes only after the user confirms that they have saved it. */
export function SecretDialog({
  title,
  children,
  onClose,
}: {
  readonly title: string;
  /** `SecretLine`s and further notes. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}) {
  const [isKept, setKept] = useState(false);
  return (
    <Modal isOpen onClose={onClose} isForced width={620} title={title}>
      <Stack>
        <Alert tone="warning" title={t('Copy the secret now')}>
          {t('You won’t be able to see this again.')}
        </Alert>
        {children}
        <Row isApart>
          <Checkbox isOn={isKept} onChange={setKept} label={t('I have saved the secret')} />
          <Button kind="primary" disabled={!isKept} onClick={onClose}>
            {t('Done')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
