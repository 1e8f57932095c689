import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import type { NewSecret } from './key-data.ts';
import css from './users.module.css';

/** Shows a secret, once: closed only by somebody who says that they have it. */
export function SecretDialog({
  secret,
  onClose,
}: {
  readonly secret: NewSecret;
  readonly onClose: () => void;
}) {
  const [isKept, setKept] = useState(false);
  const header = `Authorization: token ${secret.apiKey}:${secret.secret}`;
  const example = `curl -H '${header}' ${location.origin}/api/method/frappe.auth.get_logged_user`;
  return (
    <Modal isOpen onClose={onClose} isForced width={620} title={t('The key and its secret')}>
      <Stack>
        <Alert tone="warning" title={t('Copy the secret now')}>
          {t('It is shown this once. Who lost it makes a new one.')}
        </Alert>
        <Secret label={t('Key')} text={secret.apiKey} />
        <Secret label={t('Secret')} text={secret.secret} />
        <Secret label={t('Header')} text={header} />
        <Secret label={t('Try it')} text={example} />
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

function Secret({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className={css['secret']}>
      <span className={css['secretLabel']}>{label}</span>
      <code className={css['secretText']} dir="ltr">
        {text}
      </code>
      <CopyButton text={text} label={t('Copy: {what}', { what: label })} />
    </div>
  );
}
