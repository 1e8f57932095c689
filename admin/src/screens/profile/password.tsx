import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { callMethod } from '../../data/api.ts';
import { isApiError } from '../../data/api-error.ts';
import { loadBoot, useUser } from '../../data/boot.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Card, Row, Stack } from '../../widgets/layout.tsx';
import { PasswordInput } from '../../widgets/password-input.tsx';
import css from './profile.module.css';

const EMPTY = { old: '', fresh: '', again: '' };

/** Changes the user's own password. All other sessions end. */
export function Password() {
  const user = useUser();
  const [typed, setTyped] = useState(EMPTY);
  const { isBusy, error, run } = useTask();
  const set = (field: keyof typeof EMPTY) => (value: string) =>
    setTyped((now) => ({ ...now, [field]: value }));
  const differs = typed.again !== '' && typed.again !== typed.fresh;
  const isWrong = isApiError(error) && error.status === 401;
  const save = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const args = { old_password: typed.old, new_password: typed.fresh };
      // A 401 means a wrong password, not an ended session.
      await callMethod('frappe.core.doctype.user.user.update_password', args, { isSignIn: true });
      setTyped(EMPTY);
      await loadBoot();
      toast('success', t('Password changed. Your other sessions have ended.'));
    });
  };
  return (
    <Card label={t('Password')}>
      <form onSubmit={save}>
        <Stack>
          <h2>{t('Password')}</h2>
          {error !== null && !isWrong && <ErrorPanel error={error} />}
          {/* Tells password managers which user the password belongs to. */}
          <input
            type="text"
            name="username"
            autoComplete="username"
            value={user.email || user.name}
            readOnly
            hidden
          />
          <div className={css['fields']}>
            <PasswordInput
              label={t('Current password')}
              autoComplete="current-password"
              value={typed.old}
              onChange={set('old')}
              error={isWrong ? t('Wrong password') : undefined}
            />
            <PasswordInput
              label={t('New password')}
              description={t('At least 10 characters')}
              autoComplete="new-password"
              value={typed.fresh}
              onChange={set('fresh')}
            />
            <PasswordInput
              label={t('Confirm new password')}
              autoComplete="new-password"
              value={typed.again}
              onChange={set('again')}
              error={differs ? t('Passwords do not match') : undefined}
            />
          </div>
          <Row>
            <Button
              type="submit"
              kind="primary"
              isBusy={isBusy}
              disabled={typed.old === '' || typed.fresh.length < 10 || typed.again !== typed.fresh}
            >
              {t('Change the password')}
            </Button>
          </Row>
        </Stack>
      </form>
    </Card>
  );
}
