import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import { Select } from '../../widgets/select.tsx';
import { useEdited, useEditor } from './editor-context.ts';
import { CheckPart, CodePart, NumberPart, Part } from './editor-parts.tsx';
import { Retries } from './retries.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import css from './webhooks.module.css';

/** Retries and timeout of deliveries. */
export function DeliveryPart() {
  return (
    <Part title={t('Delivery')}>
      <div className={css['pair']}>
        <Retries />
        <NumberPart
          name="timeout"
          label={t('Timeout (seconds)')}
          min={1}
          max={60}
          description={t('Total time per attempt')}
        />
        <NumberPart
          name="rate_limit"
          label={t('Attempts per minute')}
          min={0}
          description={t('0 = no limit')}
        />
        <NumberPart
          name="rate_burst"
          label={t('Burst size')}
          min={0}
          description={t('0 = one second’s worth')}
        />
      </div>
      <Held />
    </Part>
  );
}

function Held() {
  const { value, onChange } = useEdited('held_deliveries');
  return (
    <Select
      label={t('Events that occurred while disabled')}
      value={value}
      onChange={(next) => onChange(next ?? 'Send')}
      choices={[
        { value: 'Send', label: t('Send all when re-enabled') },
        { value: 'Send Newest', label: t('Send the newest per document') },
        { value: 'Drop', label: t('Discard all') },
      ]}
    />
  );
}

/** Secret, GitHub-style signature and TLS certificates. */
export function SecurityPart({ webhook }: { readonly webhook: string | null }) {
  const [isRotating, setRotating] = useState(false);
  const secret = useEdited('secret');
  const { isStored } = useEditor();
  return (
    <Part title={t('Security')}>
      {isStored && webhook !== null ? (
        <div>
          <Button icon="key" onClick={() => setRotating(true)}>
            {t('Rotate secret…')}
          </Button>
        </div>
      ) : (
        <PasswordInput
          label={t('Custom secret')}
          description={t('Leave empty to generate a strong secret; it is shown once')}
          value={secret.value}
          onChange={secret.onChange}
          error={secret.error}
          autoComplete="new-password"
        />
      )}
      <CheckPart
        name="hub_signature"
        label={t('Add a GitHub-style signature')}
        description="X-Hub-Signature-256"
      />
      <details className={css['more']}>
        <summary>{t('TLS certificates')}</summary>
        <div>
          <Muted isSmall>
            {t('PEM text, for receivers with private certificates. Most receivers need none.')}
          </Muted>
          <CodePart
            name="tls_authority"
            label={t('Trusted CA certificates')}
            description={t('Replaces the public CAs')}
          />
          <CodePart name="tls_certificate" label={t('Client certificate')} />
          <CodePart
            name="tls_key"
            label={t('Key of the client certificate')}
            description={t('Stored encrypted; leave the asterisks to keep it')}
          />
        </div>
      </details>
      {webhook !== null && isRotating && (
        <RotateDialog webhook={webhook} onClose={() => setRotating(false)} />
      )}
    </Part>
  );
}
