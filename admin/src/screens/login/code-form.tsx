import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { confirmCode, type SignInAnswer } from '../../data/sign-in.ts';
import { Button } from '../../widgets/button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { AttemptError } from './attempt-error.tsx';
import { AuthenticatorSecret } from './second-factor.tsx';
import { useAttempt } from './use-attempt.ts';

/**
 * The second factor: asks for a code of the authenticator app. If a role requires the factor, sets it up
 * here.
 */
export function CodeForm({
  asked,
  onAnswer,
  onBack,
}: {
  readonly asked: Extract<SignInAnswer, { kind: 'code' }>;
  readonly onAnswer: (answer: SignInAnswer) => void | Promise<void>;
  readonly onBack: () => void;
}) {
  const [otp, setOtp] = useState('');
  const attempt = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt.run(
      async () => onAnswer(await confirmCode(asked.tmpId, otp.trim())),
      () => setOtp(''),
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <AttemptError attempt={attempt} />
        {asked.setUp && (
          <Alert title={t('Set up a second factor')}>
            <Stack gap={2}>
              <span>
                {t(
                  'Your role requires a second factor. Add this secret to an authenticator app, then enter the code it shows.',
                )}
              </span>
              <AuthenticatorSecret {...asked.setUp} />
            </Stack>
          </Alert>
        )}
        <TextInput
          label={t('Code')}
          description={
            asked.setUp ? undefined : t('Six-digit code from your authenticator app, or a recovery code')
          }
          name="otp"
          autoComplete="one-time-code"
          inputMode={asked.setUp ? 'numeric' : 'text'}
          autoFocus
          value={otp}
          onChange={setOtp}
        />
        <Button
          type="submit"
          kind="primary"
          isFullWidth
          isBusy={attempt.isBusy}
          disabled={attempt.wait > 0 || otp.trim() === ''}
        >
          {t('Sign in')}
        </Button>
        <Button kind="quiet" isFullWidth onClick={onBack}>
          {t('Back')}
        </Button>
      </Stack>
    </form>
  );
}
