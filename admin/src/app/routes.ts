import type { ComponentType } from 'react';
import { loadTexts } from '../base/catalogues.ts';
import type { RightName } from '../data/boot.ts';
import { Screen as ListScreen } from '../screens/list/list-screen.tsx';

/** A screen: its path and its chunk. */
export interface Screen {
  /** Below `/app`. `$doctype` is a path parameter. */
  readonly path: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
  /** Also shown to signed-out users, without the shell. */
  readonly isOpen?: true;
  /** Of the documents of `$doctype`, whose definition is loaded with the chunk. */
  readonly isOfDoctype?: true;
}

/** Every screen of the UI. `base/paths.ts` builds their addresses. */
export const SCREENS: readonly Screen[] = [
  { path: '/login', load: () => import('../screens/login/login-screen.tsx'), isOpen: true },
  { path: '/', load: () => import('../screens/home/home-screen.tsx') },
  { path: '/doctypes/new', load: loadDesigner },
  { path: '/doctypes/$doctype', load: loadDesigner },
  { path: '/doctypes', load: () => import('../screens/doctypes/doctypes-screen.tsx') },
  // Most visits open a list: it comes with the page.
  { path: '/d/$doctype', load: async () => ({ Screen: ListScreen }), isOfDoctype: true },
  { path: '/d/$doctype/$name', load: () => import('../screens/record/record-screen.tsx'), isOfDoctype: true },
  { path: '/new/$doctype', load: () => import('../screens/record/new-record-screen.tsx'), isOfDoctype: true },
  { path: '/import/$doctype', load: () => import('../screens/import/import-screen.tsx') },
  { path: '/loads/$name', load: () => import('../screens/import/load-screen.tsx') },
  { path: '/files', load: () => import('../screens/files/files-screen.tsx') },
  { path: '/webhooks', load: () => import('../screens/webhooks/webhooks-screen.tsx') },
  { path: '/webhooks/$name', load: () => import('../screens/webhooks/webhook-screen.tsx') },
  { path: '/new-webhook', load: () => import('../screens/webhooks/new-webhook-screen.tsx') },
  { path: '/deliveries', load: () => import('../screens/deliveries/deliveries-screen.tsx') },
  { path: '/dashboards', load: () => import('../screens/dashboards/dashboards-screen.tsx') },
  { path: '/dashboards/$name', load: () => import('../screens/dashboards/dashboard-screen.tsx') },
  { path: '/users', load: () => import('../screens/users/users-screen.tsx') },
  { path: '/users/$name', load: () => import('../screens/users/user-screen.tsx') },
  { path: '/permissions', load: () => import('../screens/permissions/permissions-screen.tsx') },
  { path: '/api', load: () => import('../screens/api/api-screen.tsx') },
  { path: '/api/$doctype', load: () => import('../screens/api/api-doctype-screen.tsx') },
  { path: '/system', load: () => import('../screens/system/system-screen.tsx') },
  { path: '/system/$part', load: () => import('../screens/system/system-screen.tsx') },
  { path: '/profile', load: () => import('../screens/profile/profile-screen.tsx') },
];

async function loadDesigner(): Promise<{ readonly Screen: ComponentType }> {
  const [{ Screen }] = await Promise.all([
    import('../screens/designer/designer-screen.tsx'),
    loadTexts('designer'),
  ]);
  return { Screen };
}

/** Screens that tell a user without this right that they have no access. Their chunks are not loaded. */
export const NEEDED: ReadonlyMap<string, readonly [doctype: string, right: RightName]> = new Map([
  ['/files', ['File', 'read']],
  ['/webhooks', ['Webhook', 'read']],
  ['/webhooks/$name', ['Webhook', 'read']],
  ['/new-webhook', ['Webhook', 'create']],
  ['/deliveries', ['Webhook Request Log', 'read']],
  ['/users', ['User', 'create']],
]);
