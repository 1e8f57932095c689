import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink, useLeaveGuard } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { isApiError } from '../../data/api-error.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Card, Row, Stack } from '../../widgets/layout.tsx';
import { RoleList } from './role-list.tsx';
import { saveUser, type User, type UserValues } from './user-data.ts';
import css from './users.module.css';

/** Name and roles of a user, with one save button. */
export function UserForm({ user }: { readonly user: User }) {
  const [changes, setChanges] = useState<Partial<UserValues>>({});
  const { isBusy, error, run } = useTask();
  const values = { ...user.values, ...changes };
  const isDirty = Object.keys(changes).length > 0;
  const held = useLeaveGuard(isDirty);
  const set = (change: Partial<UserValues>) => setChanges((before) => ({ ...before, ...change }));
  const text = (field: 'firstName' | 'lastName' | 'username' | 'phone') => ({
    value: values[field],
    onChange: (value: string) => set({ [field]: value }),
    autoComplete: 'off',
  });
  const problem = (fieldname: string) =>
    isApiError(error) ? error.problems.find((one) => one.fieldname === fieldname)?.message : undefined;
  const save = () => {
    if (!isDirty) return;
    void run(async () => {
      await saveUser(user, values);
      setChanges({});
      toast('success', t('Saved'));
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  useShortcut('form', 'mod+s', t('Save'), save);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Card label={t('Person')}>
          <Stack>
            <Row isApart>
              <h2>{t('Person')}</h2>
              <PathLink to={paths.record('User', user.name)}>{t('All fields')}</PathLink>
            </Row>
            <div className={css['fields']}>
              <TextInput
                label={t('First name')}
                isRequired
                error={problem('first_name')}
                {...text('firstName')}
              />
              <TextInput label={t('Last name')} {...text('lastName')} />
              <TextInput label={t('Username')} error={problem('username')} {...text('username')} />
              <TextInput label={t('Phone')} type="tel" error={problem('phone')} {...text('phone')} />
            </div>
          </Stack>
        </Card>
        {may('Role', 'read') && <RoleList roles={values.roles} onChange={(roles) => set({ roles })} />}
        {error !== null && <ErrorPanel error={error} />}
        <Row>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={!isDirty}>
            {t('Save')}
          </Button>
          {isDirty && (
            <>
              <Button onClick={() => setChanges({})}>{t('Discard changes')}</Button>
              <Badge tone="warning">{t('Not saved')}</Badge>
            </>
          )}
        </Row>
      </Stack>
      {held && (
        <ConfirmDialog
          isOpen
          onClose={held.stay}
          title={t('Leave without saving?')}
          action={t('Discard changes')}
          isDanger
          run={async () => held.leave()}
        >
          {t('Your changes to this user will be lost.')}
        </ConfirmDialog>
      )}
    </form>
  );
}
