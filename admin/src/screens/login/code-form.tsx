import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { confirmCode, type SignInAnswer } from '../../data/sign-in.ts';
import { Button } from '../../widgets/button.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { AttemptError } from './attempt-error.tsx';
import css from './login.module.css';
import { useAttempt } from './use-attempt.ts';

/** The second factor: a code of the authenticator app, which is set up here where a role asks for one. */
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
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await attempt.run(async () => onAnswer(await confirmCode(asked.tmpId, otp.trim()))))) setOtp('');
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
                  'Your role asks for one. Add this secret to an authenticator app, then type the code it shows.',
                )}
              </span>
              <Row>
                <code className={css['secret']}>{asked.setUp.secret}</code>
                <CopyButton text={asked.setUp.secret} label={t('Copy the secret')} />
              </Row>
              <a href={asked.setUp.otpauth}>{t('Open in an authenticator app on this device')}</a>
            </Stack>
          </Alert>
        )}
        <TextInput
          label={t('Code')}
          description={
            asked.setUp ? undefined : t('Six digits of your authenticator app, or one of your recovery codes')
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

/** Codes that stand in for the app: shown this once. */
export function RecoveryCodes({
  codes,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly onDone: () => void | Promise<void>;
}) {
  return (
    <Stack>
      <Alert tone="warning" title={t('Keep these recovery codes')}>
        {t('Each stands in once for a code of your app. They are not shown again.')}
      </Alert>
      <ul className={css['codes']}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Row isApart>
        <CopyButton text={codes.join('\n')}>{t('Copy')}</CopyButton>
        <Button kind="primary" onClick={() => void onDone()} autoFocus>
          {t('I have kept them')}
        </Button>
      </Row>
    </Stack>
  );
}
