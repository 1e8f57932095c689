import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { toast } from '../../base/toasts.ts';
import { useBoot, useUser } from '../../data/boot.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { enableUser, mailPasswordLink, type User } from './user-data.ts';
import { type Question, UserQuestion } from './user-question.tsx';

/** Actions on a user outside the form. */
export function UserActions({ user }: { readonly user: User }) {
  const me = useUser();
  const { site } = useBoot();
  const go = useGo();
  const [question, setQuestion] = useState<Question | null>(null);
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
      <UserQuestion user={user} question={question} onClose={() => setQuestion(null)} />
    </>
  );
}
