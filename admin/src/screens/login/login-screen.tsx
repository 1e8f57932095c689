import { useEffect, useState } from 'react';
import { showLanguage } from '../../base/catalogues.ts';
import { LANGUAGES, type Language, t, useLanguage } from '../../base/i18n.ts';
import { useGo, useSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useBoot } from '../../data/boot.ts';
import { enter } from '../../data/person.ts';
import { Brand } from '../../widgets/brand.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { useTheme } from '../../widgets/use-theme.ts';
import { themeOf } from '../profile/theme-of.ts';
import css from './login.module.css';
import { SignInForm } from './sign-in-form.tsx';

/** The sign-in screen. */
export function Screen() {
  const { site, user } = useBoot();
  const go = useGo();
  const { setTheme } = useTheme();
  const wanted = useSearch((search) => (typeof search['next'] === 'string' ? search['next'] : paths.home()));
  // While the next screen loads, the address is already the next one's, but this screen is still mounted.
  const [next] = useState(wanted);
  useEffect(() => {
    document.title = `${t('Sign in')} – Chancery`;
  }, []);
  useEffect(() => {
    // Already signed in, perhaps in another tab.
    if (user) go(next, { isReplacing: true });
  }, [user, go, next]);
  const done = async () => {
    const boot = await enter();
    const theme = themeOf(boot.user?.theme);
    if (theme) setTheme(theme);
  };
  return (
    <main className={css['page']}>
      <div className={css['brand']}>
        <Brand size={36} />
        <h1>{t('Sign in to Chancery')}</h1>
      </div>
      <div className={css['card']}>
        {site.signIn.isFirstRun && (
          <Alert title={t('No sign-ins yet')}>
            {t(
              'The Administrator password was printed when the server first started, unless you set one. To reset it, run:',
            )}
            <br />
            <code>npx chancery user set-password Administrator</code>
          </Alert>
        )}
        <SignInForm ways={site.signIn} onDone={done} />
      </div>
      <Languages />
    </main>
  );
}

function Languages() {
  const language = useLanguage();
  return (
    <fieldset className={css['foot']} aria-label={t('Language')}>
      {(Object.keys(LANGUAGES) as Language[]).map((one) => (
        <button
          key={one}
          type="button"
          lang={one}
          aria-pressed={one === language}
          onClick={() => void showLanguage(one)}
        >
          {LANGUAGES[one]}
        </button>
      ))}
    </fieldset>
  );
}
