import { createKept } from './kept.ts';

/** Paths of screens at the top of the sidebar, as this device keeps them, in the order of their addition. */
export const favourites = createKept<readonly string[]>('chancery.favourites', [], (stored) =>
  Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : null,
);

/** Adds a path to the favourites, or removes it. */
export function toggleFavourite(path: string): void {
  const before = favourites.get();
  favourites.set(before.includes(path) ? before.filter((one) => one !== path) : [...before, path]);
}
