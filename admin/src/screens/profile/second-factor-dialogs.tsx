import { type FormEvent, type ReactNode, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { callMethod } from '../../data/api.ts';
import type { AppSecret } from '../../data/sign-in.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import { AuthenticatorSecret, RecoveryCodes } from '../login/second-factor.tsx';

interface DialogProps {
  readonly onClose: () => void;
}

interface Codes {
  readonly recovery_codes: readonly string[];
}

/** Asks for the password, shows the secret, checks the first code and shows the recovery codes. */
export function EnableDialog({ onClose }: DialogProps) {
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [secret, setSecret] = useState<AppSecret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const title = t('Set up a second factor');
  if (codes) return <CodesDialog title={title} codes={codes} onClose={onClose} />;
  if (!secret)
    return (
      <StepDialog
        title={title}
        action={t('Continue')}
        isReady={password !== ''}
        onClose={onClose}
        run={async () =>
          setSecret(
            await callMethod<AppSecret>(
              'chancery.auth.enable_second_factor',
              { password },
              { isSignIn: true },
            ),
          )
        }
      >
        <PasswordField value={password} onChange={setPassword} />
      </StepDialog>
    );
  return (
    <StepDialog
      title={title}
      action={t('Turn on')}
      isReady={otp.trim() !== ''}
      onClose={onClose}
      run={async () => {
        const args = { otp: otp.trim() };
        const made = await callMethod<Codes>('chancery.auth.confirm_second_factor', args, { isSignIn: true });
        setCodes(made.recovery_codes);
      }}
    >
      <p>{t('Add this secret to an authenticator app, then type the code it shows.')}</p>
      <AuthenticatorSecret {...secret} />
      <CodeField value={otp} onChange={setOtp} isFirst />
    </StepDialog>
  );
}

/** Creates new recovery codes. The old ones become invalid. */
export function NewCodesDialog({ onClose }: DialogProps) {
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const title = t('New recovery codes');
  if (codes) return <CodesDialog title={title} codes={codes} onClose={onClose} />;
  return (
    <StepDialog
      title={title}
      action={t('Generate codes')}
      isReady={password !== '' && otp.trim() !== ''}
      onClose={onClose}
      run={async () => {
        const args = { password, otp: otp.trim() };
        const made = await callMethod<Codes>('chancery.auth.new_recovery_codes', args, { isSignIn: true });
        setCodes(made.recovery_codes);
      }}
    >
      <p>{t('Your current codes stop working.')}</p>
      <PasswordField value={password} onChange={setPassword} />
      <CodeField value={otp} onChange={setOtp} />
    </StepDialog>
  );
}

/** Disables the second factor. Afterwards, the password alone is enough. */
export function DisableDialog({ onClose }: DialogProps) {
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  return (
    <StepDialog
      title={t('Turn off the second factor')}
      action={t('Turn off')}
      isDanger
      isReady={password !== '' && otp.trim() !== ''}
      onClose={onClose}
      run={async () => {
        const args = { password, otp: otp.trim() };
        await callMethod('chancery.auth.disable_second_factor', args, { isSignIn: true });
        toast('success', t('Second factor turned off'));
        onClose();
      }}
    >
      <p>{t('You will then sign in with your password alone.')}</p>
      <PasswordField value={password} onChange={setPassword} />
      <CodeField value={otp} onChange={setOtp} />
    </StepDialog>
  );
}

interface StepProps extends DialogProps {
  readonly title: string;
  readonly action: string;
  readonly isReady: boolean;
  readonly isDanger?: boolean;
  readonly run: () => Promise<void>;
  readonly children: ReactNode;
}

function StepDialog({ title, action, isReady, isDanger, run, children, onClose }: StepProps) {
  const task = useTask();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void task.run(run);
  };
  return (
    <Modal isOpen onClose={onClose} title={title} isSticky>
      <form onSubmit={submit}>
        <Stack>
          {task.error !== null && <ErrorPanel error={task.error} />}
          {children}
          <Row isApart>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button
              type="submit"
              kind={isDanger ? 'danger' : 'primary'}
              isBusy={task.isBusy}
              disabled={!isReady}
            >
              {action}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}

interface ValueProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function PasswordField(props: ValueProps) {
  return (
    <PasswordInput {...props} label={t('Current password')} autoComplete="current-password" data-autofocus />
  );
}

function CodeField({ isFirst, ...props }: ValueProps & { readonly isFirst?: boolean }) {
  return (
    <TextInput
      {...props}
      autoFocus={isFirst}
      label={t('Code')}
      autoComplete="one-time-code"
      inputMode="numeric"
    />
  );
}

function CodesDialog({
  title,
  codes,
  onClose,
}: DialogProps & { readonly title: string; readonly codes: readonly string[] }) {
  return (
    <Modal isOpen onClose={onClose} title={title} isForced>
      <RecoveryCodes codes={codes} onDone={onClose} />
    </Modal>
  );
}
