import { useState } from 'react';
import { t } from '../base/i18n.ts';
import { toast } from '../base/toasts.ts';
import { knownBoot, loadBoot } from '../data/boot.ts';
import { queryClient } from '../data/query-client.ts';
import { sessionGivenUp, sessionRestored } from '../data/session.ts';
import { SignInForm } from '../screens/login/sign-in-form.tsx';
import { Modal } from '../widgets/dialogs.tsx';
import { Stack } from '../widgets/layout.tsx';

/**
 * Asks the user to sign in again after the session ended. The form covers the screen, and the failed requests
 * then continue.
 */
export function SignInAgain() {
  const [before] = useState(() => knownBoot()?.user ?? null);
  const [ways] = useState(() => knownBoot()?.site.signIn ?? null);
  const done = async () => {
    const { user } = await loadBoot();
    // Another user must not send requests that the first one started.
    if (before && user?.name !== before.name) return location.reload();
    sessionRestored();
    void queryClient.invalidateQueries();
    toast('success', t('Signed in again'));
  };
  return (
    <Modal isOpen onClose={sessionGivenUp} title={t('Sign in again')} isSticky>
      <Stack>
        <p>{t('Your session has ended. Sign in again to keep your work.')}</p>
        <SignInForm ways={ways} user={before?.name} onDone={done} />
      </Stack>
    </Modal>
  );
}
