import { t } from '../../base/i18n.ts';
import { PathLink, usePath } from '../../base/navigation.tsx';
import { doctypesAtTheSide } from '../../base/opened.ts';
import { paths } from '../../base/paths.ts';
import { type Boot, useBoot } from '../../data/boot.ts';
import icon from '../../widgets/brand.svg';
import { Icon, type IconName } from '../../widgets/icon.tsx';
import { Truncate } from '../../widgets/layout.tsx';
import { screensFor } from './screens-for.ts';
import css from './shell.module.css';

/** The sidebar: screens and the user's doctypes. */
export function Sidebar({ isInDrawer }: { readonly isInDrawer?: boolean }) {
  const boot = useBoot();
  const path = usePath();
  return (
    <>
      {!isInDrawer && (
        <PathLink to={paths.home()} className={css['brand']}>
          <img src={icon} alt="" />
          Chancery
        </PathLink>
      )}
      <ul className={css['nav']}>
        {screensFor(boot).map((screen) => (
          <Item key={screen.path} {...screen} isHere={isBelow(path, screen.path)} />
        ))}
      </ul>
      <Doctypes boot={boot} path={path} />
    </>
  );
}

function Doctypes({ boot, path }: { readonly boot: Boot; readonly path: string }) {
  const names = doctypesAtTheSide([...boot.doctypes.values()]);
  if (names.length === 0) return null;
  return (
    <>
      <h2 className={css['heading']}>{t('Records')}</h2>
      <ul className={css['nav']}>
        {names.map((name) => (
          <Item
            key={name}
            path={paths.list(name)}
            label={t(name)}
            icon="list"
            isHere={isBelow(path, paths.list(name)) || isBelow(path, paths.newRecord(name))}
          />
        ))}
      </ul>
    </>
  );
}

function Item({
  path,
  label,
  icon: name,
  isHere,
}: {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly isHere: boolean;
}) {
  return (
    <li>
      <PathLink to={path} className={css['link']} aria-current={isHere ? 'page' : undefined}>
        <Icon name={name} />
        <Truncate text={label} />
      </PathLink>
    </li>
  );
}

function isBelow(path: string, of: string): boolean {
  if (of === '/') return path === '/' || path === '';
  const [here, there] = [plain(path), plain(of)];
  return here === there || here.startsWith(`${there}/`);
}

// The router's paths lack some escapes of addresses, such as those of spaces.
function plain(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
