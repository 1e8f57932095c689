import { createStore } from './store.ts';

/** A breadcrumb. The current screen's has no path. */
export interface Crumb {
  readonly label: string;
  readonly path?: string;
}

/** Breadcrumbs of the current screen. `Page` sets them, the top bar shows them. */
export const crumbs = createStore<readonly Crumb[]>([]);
