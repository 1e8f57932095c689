import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { DeliveryDetails } from '../../data/deliveries.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import css from './deliveries.module.css';
import { canSign } from './signature.ts';
import { useVerdict } from './use-verdict.ts';

/** Checks a received signature against this body. Runs in the browser: the secret is not sent. */
export function SignatureCheck({
  delivery,
  bytes,
}: {
  readonly delivery: DeliveryDetails;
  readonly bytes: Uint8Array<ArrayBuffer>;
}) {
  const [secret, setSecret] = useState('');
  const [signature, setSignature] = useState('');
  const [timestamp, setTimestamp] = useState('');
  const { verdict, own } = useVerdict(delivery, bytes, { secret, signature, timestamp });
  const isStandard = signature.includes('v1,');
  if (!canSign()) return null;
  return (
    <section className={css['section']} aria-label={t('Check a signature')}>
      <h3>{t('Check a signature')}</h3>
      <Stack gap={3}>
        <Muted isSmall>{t('The secret stays on this page. It is not sent or stored.')}</Muted>
        <PasswordInput
          label={t('Secret')}
          value={secret}
          onChange={setSecret}
          autoComplete="off"
          placeholder="whsec_…"
        />
        {own !== '' && (
          <Row>
            <code className={css['code']}>X-Service-Webhook-Signature: {own}</code>
            <CopyButton text={own} label={t('Copy the signature')} />
          </Row>
        )}
        <TextInput
          label={t('Received signature')}
          value={signature}
          onChange={setSignature}
          autoComplete="off"
          spellCheck={false}
          placeholder="v1,… / sha256=…"
        />
        {isStandard && (
          <TextInput
            label="webhook-timestamp"
            inputMode="numeric"
            value={timestamp}
            onChange={setTimestamp}
          />
        )}
        {verdict === 'wrong' && (
          <Alert tone="danger" title={t('Signature does not match')}>
            {t('Either the secret differs, or the receiver did not check the raw bytes.')}
          </Alert>
        )}
        {verdict !== null && verdict !== 'wrong' && (
          <Alert tone="success" title={t('Signature matches')}>
            {HEADERS[verdict]}
          </Alert>
        )}
      </Stack>
    </section>
  );
}

const HEADERS = {
  body: 'X-Service-Webhook-Signature',
  hub: 'X-Hub-Signature-256',
  standard: 'webhook-signature',
} as const;
