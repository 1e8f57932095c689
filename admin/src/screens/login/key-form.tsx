import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { signInWithKey } from '../../data/sign-in.ts';
import { Button } from '../../widgets/button.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import { AttemptError } from './attempt-error.tsx';
import { useAttempt } from './use-attempt.ts';

/** Exchanges an API key for a session. Neither part of the key is stored. */
export function KeyForm({ onDone }: { readonly onDone: () => void | Promise<void> }) {
  const [key, setKey] = useState('');
  const [secret, setSecret] = useState('');
  const attempt = useAttempt();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const [first = '', second = ''] = key.trim().split(':');
    await attempt.run(async () => {
      await signInWithKey(first, secret.trim() || second);
      await onDone();
    });
  };
  // Users often copy key and secret together.
  const isPair = key.includes(':');
  return (
    <form onSubmit={submit}>
      <Stack>
        <AttemptError attempt={attempt} />
        <TextInput
          label={t('Key')}
          description={t('Or both as key:secret')}
          name="api_key"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={key}
          onChange={setKey}
        />
        {!isPair && (
          <PasswordInput
            label={t('Secret')}
            name="api_secret"
            autoComplete="off"
            value={secret}
            onChange={setSecret}
          />
        )}
        <Button
          type="submit"
          kind="primary"
          isFullWidth
          isBusy={attempt.isBusy}
          disabled={attempt.wait > 0 || key.trim() === '' || (!isPair && secret === '')}
        >
          {t('Sign in')}
        </Button>
        <Muted isSmall>{t('The key opens a session. The browser does not store it.')}</Muted>
      </Stack>
    </form>
  );
}
