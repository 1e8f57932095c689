import { Outlet } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { crumbs } from '../../base/crumbs.ts';
import { t } from '../../base/i18n.ts';
import { usePath, useRouteParams } from '../../base/navigation.tsx';
import { noteOpened } from '../../base/opened.ts';
import { paths } from '../../base/paths.ts';
import { noteRecord } from '../../base/recent-records.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { useStore } from '../../base/store.ts';
import { usePart } from '../../base/use-part.ts';
import { ScreenPending } from '../screen-pending.tsx';
import { GlobalCommands } from './global-commands.tsx';
import css from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

const FOLDED = 'chancery.sidebar';

const loadSideDrawer = async () => (await import('./side-drawer.tsx')).SideDrawer;

/** The frame around every screen: sidebar, top bar and the screen itself. */
export function Shell() {
  const [isFolded, setFolded] = useState(() => localStorage.getItem(FOLDED) === 'folded');
  const [isOpen, setOpen] = useState(false);
  const SideDrawer = usePart(isOpen, loadSideDrawer);
  const main = useRef<HTMLElement>(null);
  const path = usePath();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new screen, shown from its top
  useEffect(() => {
    main.current?.scrollTo(0, 0);
    setOpen(false);
  }, [path]);
  useNotes();
  const fold = () => {
    localStorage.setItem(FOLDED, isFolded ? 'shown' : 'folded');
    setFolded(!isFolded);
  };
  useShortcut('global', '[', t('Show or hide the sidebar'), fold);
  return (
    <div className={css['shell']} data-folded={isFolded || undefined}>
      <button type="button" className={css['skip']} onClick={() => main.current?.focus()}>
        {t('Skip to the content')}
      </button>
      <nav className={css['sidebar']} aria-label={t('Screens')}>
        <Sidebar />
      </nav>
      <TopBar onMenu={() => setOpen(true)} onFold={fold} />
      <main ref={main} id="main" tabIndex={-1} className={css['main']}>
        <Suspense fallback={<ScreenPending />}>
          <Outlet />
        </Suspense>
      </main>
      {SideDrawer && isOpen && <SideDrawer onClose={() => setOpen(false)} />}
      <GlobalCommands />
    </div>
  );
}

/** Notes the doctypes and records that the user opens. */
function useNotes(): void {
  const { doctype, name } = useRouteParams();
  const way = useStore(crumbs);
  useEffect(() => {
    if (doctype !== undefined) noteOpened(doctype);
  }, [doctype]);
  useEffect(() => {
    // A screen shows its title some time after the address has changed.
    const isThere = doctype !== undefined && way.at(-2)?.path === paths.list(doctype);
    if (isThere && name !== undefined) noteRecord({ doctype, name, title: way.at(-1)?.label ?? name });
  }, [doctype, name, way]);
}
