import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { markArrival } from '../base/arrival.ts';
import { BASE, paths, withSearch } from '../base/paths.ts';
import { knownBoot, loadBoot, type RightName, useBoot } from '../data/boot.ts';
import { queryClient } from '../data/query-client.ts';
import { metaQuery } from '../meta/use-meta.ts';
import { NotFound, NotPermitted } from '../widgets/screen-problem.tsx';
import { NEEDED, SCREENS, type Screen } from './routes.ts';
import { ScreenError } from './screen-error.tsx';
import { ScreenPending } from './screen-pending.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: () => <NotFound /> });

/** The shell is the parent of every screen that needs a signed-in user. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const boot = knownBoot() ?? (await loadBoot());
    if (boot.user) return;
    const next = location.href === '/' ? undefined : location.href;
    throw redirect({ href: `${BASE}${withSearch(paths.login(), { next })}` });
  },
});

// An unknown address keeps the shell, so that the user can navigate on.
const unknown = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound });

function routeOf({ path, load, isOpen, isOfDoctype }: Screen) {
  const screen = lazyRouteComponent(load, 'Screen');
  const right = NEEDED.get(path);
  return createRoute({
    getParentRoute: () => (isOpen ? root : inside),
    path,
    component: right ? guarded(screen, right) : screen,
    ...(isOfDoctype && { loader: ({ params }: { params: object }) => prepare(params) }),
  });
}

/**
 * Loads the definition of a doctype before its screen renders. React shows the content of a screen 300 ms after
 * its placeholder at the soonest, so a screen that waits for data itself appears late. A refusal is told by the
 * screen.
 */
function prepare(params: { readonly doctype?: string }): Promise<void> {
  return queryClient.prefetchQuery(metaQuery(params.doctype ?? ''));
}

function guarded(Screen: ComponentType, [doctype, right]: readonly [string, RightName]) {
  return function Guarded() {
    return useBoot().doctypes.get(doctype)?.rights.has(right) ? <Screen /> : <NotPermitted />;
  };
}

const open = SCREENS.filter((screen) => screen.isOpen).map(routeOf);
const shut = SCREENS.filter((screen) => !screen.isOpen).map(routeOf);

/** The only router. It loads the chunk of a screen when that screen is first shown. */
export function makeRouter() {
  const router = createRouter({
    routeTree: root.addChildren([...open, inside.addChildren([...shut, unknown])]),
    basepath: BASE,
    defaultPendingComponent: ScreenPending,
    defaultErrorComponent: ScreenError,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    scrollRestoration: false,
  });
  router.subscribe('onBeforeNavigate', ({ pathChanged, fromLocation }) => {
    if (pathChanged && fromLocation) markArrival();
  });
  return router;
}
