import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { NewUserFields } from './new-user-fields.tsx';
import { createUser, type NewUserValues } from './user-data.ts';

const EMPTY: NewUserValues = { email: '', firstName: '', lastName: '', roles: [] };

/** Creates a user with roles and opens their screen, to set a password and keys. */
export function NewUser({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  const [values, setValues] = useState(EMPTY);
  const { isBusy, error, run } = useTask();
  const isWhole = values.email.trim() !== '' && values.firstName.trim() !== '';
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isWhole) return;
    void run(async () => {
      const name = await createUser(values);
      toast('success', t('User created'));
      onClose();
      go(paths.user(name));
    });
  };
  return (
    <Modal isOpen onClose={onClose} title={t('New user')} isSticky>
      <form onSubmit={save} noValidate>
        <Stack>
          <NewUserFields
            values={values}
            error={error}
            onChange={(change) => setValues((before) => ({ ...before, ...change }))}
          />
          {error !== null && <ErrorPanel error={error} refused={t('Couldn’t save')} />}
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
