import { useState } from 'react';
import { formatList } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import css from './api.module.css';
import type { ApiOperation } from './operations.ts';
import type { CallForm } from './use-call.ts';

type As = 'session' | 'key';

/** Sends the request with the session, or with a key that is forgotten with the screen. */
export function SendPart({ operation, form }: { readonly operation: ApiOperation; readonly form: CallForm }) {
  const [as, setAs] = useState<As>('session');
  const [key, setKey] = useState('');
  const [secret, setSecret] = useState('');
  const isReading = operation.verb === 'GET';
  const isReady = form.missing.length === 0 && (as === 'session' || (key !== '' && secret !== ''));
  return (
    <Stack gap={3}>
      <SegmentedControl<As>
        label={t('Send as')}
        value={as}
        onChange={setAs}
        choices={[
          { value: 'session', label: t('As me') },
          { value: 'key', label: t('With an API key') },
        ]}
      />
      {as === 'key' && (
        <div className={css['pair']}>
          <TextInput label={t('Key')} autoComplete="off" dir="ltr" value={key} onChange={setKey} />
          <PasswordInput label={t('Secret')} autoComplete="off" value={secret} onChange={setSecret} />
        </div>
      )}
      <Row gap={3}>
        <Button
          kind={operation.verb === 'DELETE' ? 'danger' : 'primary'}
          icon="send"
          isBusy={form.isBusy}
          disabled={!isReady}
          onClick={() => form.send(as === 'key' ? `${key}:${secret}` : null)}
        >
          {t('Send request')}
        </Button>
        {form.missing.length > 0 ? (
          <Muted isSmall>{t('Still needed: {names}', { names: formatList(form.missing) })}</Muted>
        ) : (
          !isReading && <Muted isSmall>{t('This changes the records of this site.')}</Muted>
        )}
      </Row>
    </Stack>
  );
}
