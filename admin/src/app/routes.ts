import type { ComponentType } from 'react';

/** A screen: its path and its chunk. */
export interface Screen {
  /** Below `/app`. `$doctype` is a path parameter. */
  readonly path: string;
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
  /** Also shown to signed-out users, without the shell. */
  readonly isOpen?: true;
}

/** Every screen of the UI. `base/paths.ts` builds their addresses. */
export const SCREENS: readonly Screen[] = [
  { path: '/login', load: () => import('../screens/login/login-screen.tsx'), isOpen: true },
  { path: '/', load: () => import('../screens/home/home-screen.tsx') },
  { path: '/doctypes', load: () => import('../screens/doctypes/doctypes-screen.tsx') },
  { path: '/d/$doctype', load: () => import('../screens/list/list-screen.tsx') },
  { path: '/d/$doctype/$name', load: () => import('../screens/record/record-screen.tsx') },
  { path: '/new/$doctype', load: () => import('../screens/record/new-record-screen.tsx') },
  { path: '/files', load: () => import('../screens/files/files-screen.tsx') },
  { path: '/webhooks', load: () => import('../screens/webhooks/webhooks-screen.tsx') },
  { path: '/webhooks/$name', load: () => import('../screens/webhooks/webhook-screen.tsx') },
  { path: '/new-webhook', load: () => import('../screens/webhooks/new-webhook-screen.tsx') },
  { path: '/deliveries', load: () => import('../screens/deliveries/deliveries-screen.tsx') },
  { path: '/users', load: () => import('../screens/users/users-screen.tsx') },
  { path: '/users/$name', load: () => import('../screens/users/user-screen.tsx') },
  { path: '/profile', load: () => import('../screens/profile/profile-screen.tsx') },
];
