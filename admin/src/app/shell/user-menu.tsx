import { t } from '../../base/i18n.ts';
import { initialsOf } from '../../base/initials.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useUser } from '../../data/boot.ts';
import { Menu } from '../../widgets/menu.tsx';
import { type Theme, useTheme } from '../../widgets/use-theme.ts';
import { leave } from './leave.ts';
import { isSheetOpen } from './overlays.ts';
import css from './shell.module.css';

/** The menu of the signed-in user. */
export function UserMenu() {
  const user = useUser();
  const go = useGo();
  const { theme, setTheme } = useTheme();
  const themeItem = (value: Theme, label: string, icon: 'sun' | 'moon' | 'screen') => ({
    label,
    icon,
    run: () => setTheme(value),
    isChecked: theme === value,
  });
  return (
    <Menu
      label={t('Your account')}
      target={
        <button
          type="button"
          className={css['user']}
          aria-label={t('Your account: {name}', { name: user.fullName })}
        >
          <span className={css['avatar']} aria-hidden="true">
            {initialsOf(user.fullName)}
          </span>
        </button>
      }
      items={[
        { heading: user.fullName },
        { label: t('Profile'), icon: 'user', run: () => go(paths.profile()) },
        { label: t('Keyboard shortcuts'), icon: 'keyboard', run: () => isSheetOpen.set(true) },
        'divider',
        { heading: t('Theme') },
        themeItem('light', t('Light'), 'sun'),
        themeItem('dark', t('Dark'), 'moon'),
        themeItem('auto', t('System'), 'screen'),
        'divider',
        { label: t('Sign out'), icon: 'sign-out', run: () => void leave() },
      ]}
    />
  );
}
