import { t } from '../../base/i18n.ts';
import { BASE } from '../../base/paths.ts';
import type { SignInWays } from '../../data/boot.ts';
import { Stack } from '../../widgets/layout.tsx';
import css from './login.module.css';

/** Sign-in with an identity provider. */
export function Providers({ ways }: { readonly ways: SignInWays | null }) {
  if (!ways || ways.providers.length === 0) return null;
  return (
    <Stack gap={2}>
      <div className={css['or']}>{t('or')}</div>
      {ways.providers.map(({ name, label, url }) => (
        <a key={name} className={css['provider']} href={`${url}?redirect-to=${encodeURIComponent(BASE)}`}>
          {t('Sign in with {provider}', { provider: label })}
        </a>
      ))}
    </Stack>
  );
}
