import { useState } from 'react';
import { formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import css from './webhooks.module.css';

/** Shows a webhook's secret, once: closed only by somebody who says that they have it. */
export function SecretDialog({
  secret,
  formerUntil = null,
  onClose,
}: {
  readonly secret: string;
  /** Until when the one before goes on. */
  readonly formerUntil?: string | null;
  readonly onClose: () => void;
}) {
  const [isKept, setKept] = useState(false);
  return (
    <Modal isOpen onClose={onClose} isForced width={560} title={t('The secret of the webhook')}>
      <Stack>
        <Alert tone="warning" title={t('Copy the secret now')}>
          {t('It is shown this once. Who lost it makes a new one.')}
        </Alert>
        <div className={css['secret']}>
          <code dir="ltr">{secret}</code>
          <CopyButton text={secret} label={t('Copy the secret')} />
        </div>
        {formerUntil && (
          <Muted>
            {t('The former one goes on beside it until {time}. Give receivers the new one until then.', {
              time: formatDatetime(formerUntil),
            })}
          </Muted>
        )}
        <Row isApart>
          <Checkbox isOn={isKept} onChange={setKept} label={t('I have kept the secret')} />
          <Button kind="primary" disabled={!isKept} onClick={onClose}>
            {t('Done')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
