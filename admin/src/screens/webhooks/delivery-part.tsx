import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import { Select } from '../../widgets/select.tsx';
import { useEdited, useEditor } from './editor-context.ts';
import { CheckPart, CodePart, NumberPart, Part } from './editor-parts.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import css from './webhooks.module.css';

/** How hard it is tried. */
export function DeliveryPart() {
  return (
    <Part title={t('Delivery')}>
      <div className={css['pair']}>
        <NumberPart
          name="max_retries"
          label={t('Retries')}
          min={-1}
          max={50}
          description={t('After the first attempt; -1 is the setting of the site')}
        />
        <NumberPart
          name="timeout"
          label={t('Timeout (seconds)')}
          min={1}
          max={60}
          description={t('For an attempt in all')}
        />
        <NumberPart
          name="rate_limit"
          label={t('Attempts per minute')}
          min={0}
          description={t('At most; 0 sets no limit')}
        />
        <NumberPart
          name="rate_burst"
          label={t('At once after a rest')}
          min={0}
          description={t('0 is what one second allows')}
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
      label={t('What was held while it was disabled')}
      value={value}
      onChange={(next) => onChange(next ?? 'Send')}
      choices={[
        { value: 'Send', label: t('Send all of it when enabled again') },
        { value: 'Send Newest', label: t('Send the newest of each document') },
        { value: 'Drop', label: t('Send none of it') },
      ]}
    />
  );
}

/** How receivers know that it is us, and we them. */
export function SecurityPart({ webhook }: { readonly webhook: string | null }) {
  const [isRotating, setRotating] = useState(false);
  const secret = useEdited('secret');
  const { isStored } = useEditor();
  return (
    <Part title={t('Security')}>
      {isStored && webhook !== null ? (
        <div>
          <Button icon="key" onClick={() => setRotating(true)}>
            {t('Replace the secret…')}
          </Button>
        </div>
      ) : (
        <PasswordInput
          label={t('Secret of your own')}
          description={t('Left empty a strong one is made, and shown once')}
          value={secret.value}
          onChange={secret.onChange}
          error={secret.error}
          autoComplete="new-password"
        />
      )}
      <CheckPart
        name="hub_signature"
        label={t('Also sign as GitHub does')}
        description="X-Hub-Signature-256"
      />
      <details className={css['more']}>
        <summary>{t('TLS certificates')}</summary>
        <div>
          <Muted isSmall>
            {t('PEM texts, for receivers with certificates of their own. Most need none of this.')}
          </Muted>
          <CodePart
            name="tls_authority"
            label={t('Authorities to trust')}
            description={t('In place of the public ones')}
          />
          <CodePart name="tls_certificate" label={t('Client certificate')} />
          <CodePart
            name="tls_key"
            label={t('Key of the client certificate')}
            description={t('Kept encrypted; asterisks leave it as it is')}
          />
        </div>
      </details>
      {webhook !== null && isRotating && (
        <RotateDialog webhook={webhook} onClose={() => setRotating(false)} />
      )}
    </Part>
  );
}
