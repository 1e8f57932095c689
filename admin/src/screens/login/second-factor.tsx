import { t } from '../../base/i18n.ts';
import type { AppSecret } from '../../data/sign-in.ts';
import { Button } from '../../widgets/button.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { SecretLine } from '../../widgets/secret-line.tsx';
import css from './second-factor.module.css';

/** The secret for an authenticator app, as text and as a link to the app. */
export function AuthenticatorSecret({ secret, otpauth }: AppSecret) {
  return (
    <>
      <SecretLine text={secret} />
      <a href={otpauth}>{t('Open in an authenticator app on this device')}</a>
    </>
  );
}

/** Recovery codes that replace the app. They are shown only once. */
export function RecoveryCodes({
  codes,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly onDone: () => void | Promise<void>;
}) {
  return (
    <Stack>
      <Alert tone="warning" title={t('Save these recovery codes')}>
        {t('Each code replaces an app code once. You won’t be able to see them again.')}
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
          {t('I have saved them')}
        </Button>
      </Row>
    </Stack>
  );
}
