import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import { setPassword } from './user-data.ts';

/** Sets another user's password. */
export function PasswordDialog({ user, onClose }: { readonly user: string; readonly onClose: () => void }) {
  const [password, setTyped] = useState('');
  const { isBusy, error, run } = useTask();
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (password === '') return;
    void run(async () => {
      await setPassword(user, password);
      toast('success', t('Password updated'));
      onClose();
    });
  };
  return (
    <Modal isOpen onClose={onClose} title={t('Set a password')} isSticky>
      <form onSubmit={save}>
        <Stack>
          <PasswordInput
            label={t('New password')}
            description={t('At least 10 characters; common passwords are refused. Ends the user’s sessions.')}
            autoComplete="new-password"
            value={password}
            onChange={setTyped}
            data-autofocus
          />
          {error !== null && <ErrorPanel error={error} />}
          <Row isApart>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button kind="primary" type="submit" isBusy={isBusy} disabled={password === ''}>
              {t('Set password')}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}
