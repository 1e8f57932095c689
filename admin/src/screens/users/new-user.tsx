import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { isApiError } from '../../data/api-error.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { createUser } from './user-data.ts';

/** Creates a user and opens their screen, to set roles, a password and keys. */
export function NewUser({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  const [email, setEmail] = useState('');
  const [firstName, setFirstName] = useState('');
  const [lastName, setLastName] = useState('');
  const { isBusy, error, run } = useTask();
  const isWhole = email.trim() !== '' && firstName.trim() !== '';
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isWhole) return;
    void run(async () => {
      const name = await createUser(email.trim(), firstName.trim(), lastName.trim());
      toast('success', t('User created'));
      onClose();
      go(paths.user(name));
    });
  };
  const problem = (fieldname: string) =>
    isApiError(error) ? error.problems.find((one) => one.fieldname === fieldname)?.message : undefined;
  return (
    <Modal isOpen onClose={onClose} title={t('New user')} isSticky>
      <form onSubmit={save} noValidate>
        <Stack>
          <TextInput
            label={t('E-mail')}
            description={t('Sign-in name')}
            type="email"
            isRequired
            autoComplete="off"
            value={email}
            onChange={setEmail}
            error={problem('email')}
            data-autofocus
          />
          <TextInput
            label={t('First name')}
            isRequired
            autoComplete="off"
            value={firstName}
            onChange={setFirstName}
            error={problem('first_name')}
          />
          <TextInput label={t('Last name')} autoComplete="off" value={lastName} onChange={setLastName} />
          {error !== null && <ErrorPanel error={error} />}
          <Row isApart>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button kind="primary" type="submit" isBusy={isBusy} disabled={!isWhole}>
              {t('Create user')}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}
