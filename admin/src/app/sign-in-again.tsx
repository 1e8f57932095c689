import { lazy, Suspense, useState } from 'react';
import { t } from '../base/i18n.ts';
import { toast } from '../base/toasts.ts';
import { knownBoot, loadBoot } from '../data/boot.ts';
import { queryClient } from '../data/query-client.ts';
import { sessionGivenUp, sessionRestored } from '../data/session.ts';
import { Modal } from '../widgets/dialogs.tsx';
import { Spinner } from '../widgets/feedback.tsx';
import { Stack } from '../widgets/layout.tsx';

// Most pages never need it.
const SignInForm = lazy(async () => ({
  default: (await import('../screens/login/sign-in-form.tsx')).SignInForm,
}));

/**
 * The session ended while somebody worked: they sign in over the screen as it is, and what they sent goes on.
 */
export function SignInAgain() {
  const [before] = useState(() => knownBoot()?.user ?? null);
  const [ways] = useState(() => knownBoot()?.site.signIn ?? null);
  const done = async () => {
    const { user } = await loadBoot();
    // Somebody else must not send what the other one had begun.
    if (before && user?.name !== before.name) return location.reload();
    sessionRestored();
    void queryClient.invalidateQueries();
    toast('success', t('Signed in again'));
  };
  return (
    <Modal isOpen onClose={sessionGivenUp} title={t('Sign in again')} isSticky>
      <Stack>
        <p>{t('Your session has ended. Sign in again to keep your work.')}</p>
        <Suspense fallback={<Spinner />}>
          <SignInForm ways={ways} user={before?.name} onDone={done} />
        </Suspense>
      </Stack>
    </Modal>
  );
}
