import { lazy, Suspense } from 'react';
import { useCommands } from '../../base/commands.ts';
import { favourites, toggleFavourite } from '../../base/favourites.ts';
import { t } from '../../base/i18n.ts';
import { useGo, usePath } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { useStore } from '../../base/store.ts';
import { type BootDoctype, useBoot } from '../../data/boot.ts';
import { iconOfDoctype } from '../../widgets/doctype-icon.ts';
import { Palette } from '../palette/palette.tsx';
import { isBelow } from './is-below.ts';
import { leave } from './leave.ts';
import { isPaletteOpen, isSheetOpen } from './overlays.ts';
import { screensFor } from './screens-for.ts';

const ShortcutSheet = lazy(async () => ({
  default: (await import('../palette/shortcut-sheet.tsx')).ShortcutSheet,
}));

/** Shortcuts and commands of every screen. */
export function GlobalCommands() {
  const isPalette = useStore(isPaletteOpen);
  const isSheet = useStore(isSheetOpen);
  useShortcut('global', 'mod+k', t('Search and commands'), () => isPaletteOpen.set(true));
  useShortcut('global', '?', t('Keyboard shortcuts'), () => isSheetOpen.set(true));
  // Those that register last come first.
  useAccountCommands();
  useDoctypeCommands();
  useFavouriteCommand();
  useScreenCommands();
  return (
    <>
      <GoToKeys />
      {isPalette && <Palette onClose={() => isPaletteOpen.set(false)} />}
      <Suspense>{isSheet && <ShortcutSheet onClose={() => isSheetOpen.set(false)} />}</Suspense>
    </>
  );
}

function useScreenCommands(): void {
  const go = useGo();
  const screens = screensFor(useBoot());
  const group = t('Go to');
  useCommands(
    screens.map((screen) => ({
      id: `screen ${screen.path}`,
      label: screen.label,
      icon: screen.icon,
      path: screen.path,
      group,
      ...(screen.keys === undefined ? {} : { keys: screen.keys }),
      run: () => go(screen.path),
    })),
  );
}

/** The link of the sidebar that leads here can become a favourite. */
function useFavouriteCommand(): void {
  const boot = useBoot();
  const here = usePath();
  const known = useStore(favourites);
  const links = [
    ...[...boot.doctypes.values()].map((one) => ({ path: listPath(one), label: t(one.name) })),
    ...screensFor(boot),
  ];
  const link = links.find(({ path }) => path !== paths.home() && isBelow(here, path));
  const name = link?.label ?? '';
  useCommands(
    link === undefined
      ? []
      : [
          {
            id: 'favourite',
            label: known.includes(link.path)
              ? t('Remove {name} from favourites', { name })
              : t('Add {name} to favourites', { name }),
            icon: 'star',
            group: t('Actions'),
            run: () => toggleFavourite(link.path),
          },
        ],
  );
}

function useDoctypeCommands(): void {
  const go = useGo();
  const doctypes = [...useBoot().doctypes.values()].filter((one) => !one.istable);
  const lists = doctypes.filter((one) => one.rights.has('read'));
  const forms = doctypes.filter((one) => !one.issingle && one.rights.has('create'));
  useCommands([
    ...lists.map((doctype) => ({
      ...opening(listPath(doctype), go),
      id: `list ${doctype.name}`,
      label: t(doctype.name),
      keywords: doctype.name,
      icon: iconOfDoctype(doctype),
      group: t('Go to'),
    })),
    ...forms.map(({ name }) => ({
      ...opening(paths.newRecord(name), go),
      id: `new ${name}`,
      label: t('New {doctype}', { doctype: t(name) }),
      keywords: name,
      icon: 'plus' as const,
      group: t('Create'),
    })),
  ]);
}

function listPath({ name, issingle }: BootDoctype): string {
  return issingle ? paths.record(name, name) : paths.list(name);
}

function opening(path: string, go: (path: string) => void) {
  return { path, run: () => go(path) };
}

function useAccountCommands(): void {
  const go = useGo();
  const group = t('Your account');
  useCommands([
    { ...opening(paths.profile(), go), id: 'profile', label: t('Profile'), icon: 'user', group },
    {
      id: 'shortcuts',
      label: t('Keyboard shortcuts'),
      icon: 'keyboard',
      group: t('Help'),
      keys: '?',
      run: () => isSheetOpen.set(true),
    },
    { id: 'sign out', label: t('Sign out'), icon: 'sign-out', group, run: () => void leave() },
  ]);
}

function GoToKeys() {
  return screensFor(useBoot()).map(
    ({ path, label, keys }) =>
      keys !== undefined && <GoTo key={path} path={path} label={label} keys={keys} />,
  );
}

interface GoToProps {
  readonly path: string;
  readonly label: string;
  readonly keys: string;
}

function GoTo({ path, label, keys }: GoToProps) {
  const go = useGo();
  useShortcut('global', keys, t('Go to {screen}', { screen: label }), () => go(path));
  return null;
}
