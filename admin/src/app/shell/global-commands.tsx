import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { registerCommandSearch, useCommands } from '../../base/commands.ts';
import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { useStore } from '../../base/store.ts';
import { useBoot } from '../../data/boot.ts';
import { recordSearch } from '../palette/record-search.ts';
import { leave } from './leave.ts';
import { isPaletteOpen, isSheetOpen } from './overlays.ts';
import { type ScreenLink, screensFor } from './screens-for.ts';

const Palette = lazy(async () => ({ default: (await import('../palette/palette.tsx')).Palette }));
const ShortcutSheet = lazy(async () => ({
  default: (await import('../palette/shortcut-sheet.tsx')).ShortcutSheet,
}));

/** Shortcuts and commands of every screen. */
export function GlobalCommands() {
  const boot = useBoot();
  const go = useGo();
  const isPalette = useStore(isPaletteOpen);
  const isSheet = useStore(isSheetOpen);
  const [early, setEarly] = useState('');
  const closePalette = () => {
    isPaletteOpen.set(false);
    setEarly('');
  };
  const screens = screensFor(boot);
  useShortcut('global', 'mod+k', t('Search and commands'), () => isPaletteOpen.set(true));
  useShortcut('global', '?', t('Keyboard shortcuts'), () => isSheetOpen.set(true));
  useEffect(() => registerCommandSearch(recordSearch(boot, go)), [boot, go]);
  const goTo = t('Go to');
  useCommands([
    ...screens.map(({ path, label, keys }) => ({
      id: `screen ${path}`,
      label,
      group: goTo,
      keys,
      run: () => go(path),
    })),
    { id: 'screen /profile', label: t('Profile'), group: goTo, run: () => go(paths.profile()) },
    ...[...boot.doctypes.values()]
      .filter((one) => !one.istable && one.rights.has('read'))
      .map(({ name, issingle }) => ({
        id: `list ${name}`,
        label: t(name),
        keywords: name,
        group: t('Records'),
        run: () => go(issingle ? paths.record(name, name) : paths.list(name)),
      })),
    ...[...boot.doctypes.values()]
      .filter((one) => !one.istable && !one.issingle && one.rights.has('create'))
      .map(({ name }) => ({
        id: `new ${name}`,
        label: t('New {doctype}', { doctype: t(name) }),
        keywords: name,
        group: t('Create'),
        run: () => go(paths.newRecord(name)),
      })),
    {
      id: 'shortcuts',
      label: t('Keyboard shortcuts'),
      group: t('Help'),
      keys: '?',
      run: () => isSheetOpen.set(true),
    },
    { id: 'sign out', label: t('Sign out'), group: t('Your account'), run: () => void leave() },
  ]);
  return (
    <>
      {screens.map((screen) => (
        <GoTo key={screen.path} {...screen} />
      ))}
      <Suspense fallback={<EarlyInput typed={early} onChange={setEarly} />}>
        {isPalette && <Palette typedBefore={early} onClose={closePalette} />}
      </Suspense>
      <Suspense>{isSheet && <ShortcutSheet onClose={() => isSheetOpen.set(false)} />}</Suspense>
    </>
  );
}

/** Buffers key presses while the palette loads; the screen would treat them as shortcuts. */
function EarlyInput(props: { readonly typed: string; readonly onChange: (typed: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    input.current?.focus();
    // On closing, the palette returns the focus to the element that had it.
    return () => void (before instanceof HTMLElement && before.focus({ preventScroll: true }));
  }, []);
  return (
    <input
      ref={input}
      className="visually-hidden"
      aria-label={t('Search and commands')}
      value={props.typed}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}

function GoTo({ path, label, keys }: ScreenLink) {
  const go = useGo();
  useShortcut('global', keys, t('Go to {screen}', { screen: label }), () => go(path));
  return null;
}
