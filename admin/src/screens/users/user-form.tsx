import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useLeaveGuard } from '../../base/navigation.tsx';
import { useShortcut } from '../../base/shortcuts.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge } from '../../widgets/feedback.tsx';
import { Card, Stack } from '../../widgets/layout.tsx';
import { PersonFields } from './person-fields.tsx';
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
      <Card label={t('Person and roles')}>
        <Stack>
          <PersonFields name={user.name} values={values} error={error} onChange={set} />
          {may('Role', 'read') && <RoleList roles={values.roles} onChange={(roles) => set({ roles })} />}
          {error !== null && <ErrorPanel error={error} refused={t('Couldn’t save')} />}
          <div className={css['foot']} data-dirty={isDirty || undefined} data-stays={isDirty || undefined}>
            <Button kind="primary" type="submit" isBusy={isBusy} disabled={!isDirty}>
              {t('Save')}
            </Button>
            {isDirty && (
              <>
                <Button onClick={() => setChanges({})}>{t('Discard changes')}</Button>
                <Badge tone="warning">{t('Not saved')}</Badge>
              </>
            )}
          </div>
        </Stack>
      </Card>
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
