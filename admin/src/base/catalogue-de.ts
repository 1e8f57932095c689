import { merged } from './merged.ts';

/** German, all areas in one chunk. */
export const catalogue = merged(
  import.meta.glob('../../locales/de/*.json', { eager: true, import: 'default' }),
);
