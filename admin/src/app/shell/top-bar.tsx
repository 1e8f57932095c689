import { crumbs } from '../../base/crumbs.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { useStore } from '../../base/store.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Keys } from '../../widgets/kbd.tsx';
import { Truncate } from '../../widgets/layout.tsx';
import { useTheme } from '../../widgets/use-theme.ts';
import { Bell } from '../notifications/bell.tsx';
import { isPaletteOpen } from './overlays.ts';
import css from './shell.module.css';
import { UserMenu } from './user-menu.tsx';

/** The top bar: breadcrumbs and global actions. */
export function TopBar({ onMenu, onFold }: { readonly onMenu: () => void; readonly onFold: () => void }) {
  const { seen, setTheme } = useTheme();
  return (
    <header className={css['topbar']}>
      <span className={css['menu']}>
        <IconButton label={t('Open the menu')} icon="menu" onClick={onMenu} />
      </span>
      <span className={css['fold']}>
        <IconButton label={t('Show or hide the sidebar')} icon="sidebar" onClick={onFold} />
      </span>
      <Crumbs />
      <button
        type="button"
        className={css['search']}
        aria-haspopup="dialog"
        onClick={() => isPaletteOpen.set(true)}
      >
        <Icon name="search" />
        <span className={css['searchText']}>{t('Search')}</span>
        <span className={css['searchKeys']}>
          <Keys keys="mod+k" />
        </span>
      </button>
      <Bell />
      <IconButton
        label={seen === 'dark' ? t('Light theme') : t('Dark theme')}
        icon={seen === 'dark' ? 'sun' : 'moon'}
        onClick={() => setTheme(seen === 'dark' ? 'light' : 'dark')}
      />
      <UserMenu />
    </header>
  );
}

function Crumbs() {
  const way = useStore(crumbs);
  // Takes its place even while empty: the bar's other parts stay at the end.
  if (way.length === 0) return <span className={css['crumbs']} />;
  return (
    <nav className={css['crumbs']} aria-label={t('Breadcrumb')}>
      <ol>
        {way.map((crumb, at) => (
          <li key={`${crumb.path} ${crumb.label}`} aria-current={at === way.length - 1 ? 'page' : undefined}>
            {at > 0 && <Icon name="end" size={12} />}
            {crumb.path === undefined ? (
              <Truncate text={crumb.label} />
            ) : (
              <PathLink to={crumb.path}>{crumb.label}</PathLink>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
