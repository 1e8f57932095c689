import { favourites, toggleFavourite } from '../../base/favourites.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { useStore } from '../../base/store.ts';
import { Icon } from '../../widgets/icon.tsx';
import { Truncate } from '../../widgets/layout.tsx';
import css from './sidebar.module.css';
import type { SideLink } from './sidebar-groups.ts';

/** A link of the sidebar, marked where its screen is shown. */
export function SideItem({ link, isHere }: { readonly link: SideLink; readonly isHere: boolean }) {
  const { path, label, icon } = link;
  return (
    <li className={css['item']}>
      <PathLink to={path} className={css['link']} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        <Truncate text={label} />
      </PathLink>
      {path !== '/' && <Star path={path} label={label} />}
    </li>
  );
}

/** For the pointer. The palette has the same as a command, so that Tab does not stop twice at each link. */
function Star({ path, label }: { readonly path: string; readonly label: string }) {
  const isFavourite = useStore(favourites).includes(path);
  const words = t('Favourite: {name}', { name: label });
  return (
    <button
      type="button"
      tabIndex={-1}
      className={css['star']}
      aria-pressed={isFavourite}
      aria-label={words}
      title={words}
      onClick={() => toggleFavourite(path)}
    >
      <Icon name="star" size={14} />
    </button>
  );
}
