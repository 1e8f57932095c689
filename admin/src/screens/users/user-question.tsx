import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { deleteUser, enableUser, resetSecondFactor, type User } from './user-data.ts';

/** What a dialog asks before it acts on a user. */
export type Question = 'disable' | 'password' | 'second factor' | 'delete';

interface QuestionProps {
  readonly user: User;
  readonly question: Question | null;
  readonly onClose: () => void;
}

/** The dialog of an action on a user. */
export function UserQuestion({ user, question, onClose }: QuestionProps) {
  const go = useGo();
  return (
    <>
      {question === 'password' && <PasswordDialog user={user.name} onClose={onClose} />}
      <ConfirmDialog
        isOpen={question === 'disable'}
        onClose={onClose}
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
        onClose={onClose}
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
        onClose={onClose}
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
