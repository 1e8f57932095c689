import type { Catalogue } from './i18n.ts';

/** The catalogues of all areas as one. */
export function merged(files: Readonly<Record<string, unknown>>): Catalogue {
  return Object.assign({}, ...Object.values(files)) as Catalogue;
}
