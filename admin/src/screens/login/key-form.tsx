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
  const [isTried, setTried] = useState(false);
  const missing = (value: string, text: string) => (isTried && value.trim() === '' ? text : undefined);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A password manager may fill the fields without an event.
    const filled = new FormData(event.currentTarget);
    const [typed, other] = ['api_key', 'api_secret'].map((field) => String(filled.get(field) ?? '').trim());
    const [first = '', second = ''] = (typed ?? '').split(':');
    if (first === '' || (!other && second === '')) return setTried(true);
    await attempt.run(async () => {
      await signInWithKey(first, other || second);
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
          error={missing(key, t('Enter the key'))}
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
            error={missing(secret, t('Enter the secret'))}
            name="api_secret"
            autoComplete="off"
            value={secret}
            onChange={setSecret}
          />
        )}
        <Button type="submit" kind="primary" isFullWidth isBusy={attempt.isBusy} disabled={attempt.wait > 0}>
          {t('Sign in')}
        </Button>
        <Muted isSmall>{t('The key opens a session. The browser does not store it.')}</Muted>
      </Stack>
    </form>
  );
}
