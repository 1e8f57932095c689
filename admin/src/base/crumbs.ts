import { createStore } from './store.ts';

/** One breadcrumb; the screen itself has no path. */
export interface Crumb {
  readonly label: string;
  readonly path?: string;
}

/** The way to the screen that is shown: `Page` sets it, the top bar shows it. */
export const crumbs = createStore<readonly Crumb[]>([]);
