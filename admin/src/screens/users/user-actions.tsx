import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { useBoot, useUser } from '../../data/boot.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { deleteUser, enableUser, mailPasswordLink, resetSecondFactor, type User } from './user-data.ts';

type Question = 'disable' | 'password' | 'second factor' | 'delete';

/** Actions on a user outside the form. */
export function UserActions({ user }: { readonly user: User }) {
  const me = useUser();
  const { site } = useBoot();
  const go = useGo();
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  const isMe = me.name === user.name;
  if (!may('User', 'delete') || !me.isSystemManager) return null;
  const enable = () =>
    enableUser(user.name, true).then(() => toast('success', t('User enabled')), tellFailure);
  const mail = () =>
    mailPasswordLink(user.name).then(() => toast('success', t('Password reset e-mail sent')), tellFailure);
  return (
    <>
      {user.isEnabled ? (
        <Button disabled={isMe} onClick={() => setQuestion('disable')}>
          {t('Disable…')}
        </Button>
      ) : (
        <Button onClick={() => void enable()}>{t('Enable')}</Button>
      )}
      <Menu
        target={<Button endIcon="down">{t('More')}</Button>}
        items={[
          { label: t('Set a password…'), icon: 'lock', isDisabled: isMe, run: () => setQuestion('password') },
          site.features['mail'] === true && {
            label: t('Send password reset e-mail'),
            icon: 'send',
            run: () => void mail(),
          },
          {
            label: t('Reset the second factor…'),
            icon: 'refresh',
            isDisabled: isMe,
            run: () => setQuestion('second factor'),
          },
          { label: t('Open as record'), icon: 'open', run: () => go(paths.record('User', user.name)) },
          'divider',
          {
            label: t('Delete…'),
            icon: 'trash',
            isDanger: true,
            isDisabled: isMe,
            run: () => setQuestion('delete'),
          },
        ]}
      />
      {question === 'password' && <PasswordDialog user={user.name} onClose={close} />}
      <ConfirmDialog
        isOpen={question === 'disable'}
        onClose={close}
        title={t('Disable {name}?', { name: user.fullName })}
        action={t('Disable')}
        isDanger
        run={async () => {
          await enableUser(user.name, false);
          toast('success', t('User disabled'));
        }}
      >
        {t('Ends all sessions and blocks all keys immediately. The user’s documents are kept.')}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={question === 'second factor'}
        onClose={close}
        title={t('Reset the second factor?')}
        action={t('Reset')}
        isDanger
        run={async () => {
          await resetSecondFactor(user.name);
          toast('success', t('Second factor reset'));
        }}
      >
        {t('The user then signs in with the password alone. Verify the user’s identity first.')}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={question === 'delete'}
        onClose={close}
        title={t('Delete {name}?', { name: user.fullName })}
        action={t('Delete')}
        isDanger
        run={async () => {
          await deleteUser(user.name, () => go(paths.users(), { isReplacing: true }));
          toast('success', t('User deleted'));
        }}
      >
        {t('Deletes the user’s keys and sessions. To block access only, disable the user.')}
      </ConfirmDialog>
    </>
  );
}
