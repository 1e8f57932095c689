import { type FormEvent, useState } from 'react';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import { callMethod } from '../../data/api.ts';
import type { SignInWays } from '../../data/boot.ts';
import { type SignInAnswer, signIn } from '../../data/sign-in.ts';
import { Button } from '../../widgets/button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import { AttemptError } from './attempt-error.tsx';
import { useAttempt } from './use-attempt.ts';

/** Sign-in with user name and password. */
export function PasswordForm({
  ways,
  user,
  onAnswer,
}: {
  readonly ways: SignInWays | null;
  readonly user?: string;
  readonly onAnswer: (answer: SignInAnswer) => void | Promise<void>;
}) {
  const [usr, setUsr] = useState(user ?? '');
  const [pwd, setPwd] = useState('');
  const [isMailed, setMailed] = useState(false);
  const [isTried, setTried] = useState(false);
  const attempt = useAttempt();
  const missing = (value: string, text: string) => (isTried && value.trim() === '' ? text : undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A password manager may fill the fields without an event.
    const filled = new FormData(event.currentTarget);
    const [name, password] = ['usr', 'pwd'].map((field) => String(filled.get(field) ?? ''));
    if (!name?.trim() || !password) return setTried(true);
    void attempt.run(
      async () => onAnswer(await signIn(name.trim(), password)),
      () => setPwd(''),
    );
  };
  const reset = async () => {
    await attempt.run(async () => {
      await callMethod(
        'frappe.core.doctype.user.user.reset_password',
        { user: usr.trim() },
        { isSignIn: true },
      );
      setMailed(true);
      announce(t('Check your e-mail'));
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <AttemptError attempt={attempt} />
        {isMailed && (
          <Alert tone="success" title={t('Check your e-mail')}>
            {t('If this account exists, we have sent a password reset link.')}
          </Alert>
        )}
        <TextInput
          label={t('E-mail or username')}
          error={missing(usr, t('Enter your e-mail or username'))}
          name="usr"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus={user ? undefined : true}
          autoFocus={!user}
          value={usr}
          onChange={setUsr}
        />
        <PasswordInput
          label={t('Password')}
          error={missing(pwd, t('Enter your password'))}
          name="pwd"
          autoComplete="current-password"
          data-autofocus={user ? true : undefined}
          value={pwd}
          onChange={setPwd}
        />
        <Button type="submit" kind="primary" isFullWidth isBusy={attempt.isBusy} disabled={attempt.wait > 0}>
          {t('Sign in')}
        </Button>
        {ways?.canReset && (
          <Button kind="quiet" isFullWidth onClick={reset} disabled={usr.trim() === '' || attempt.isBusy}>
            {t('Forgot password?')}
          </Button>
        )}
      </Stack>
    </form>
  );
}
