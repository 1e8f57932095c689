import { merged } from './merged.ts';

/** Arabic, all areas in one chunk. */
export const catalogue = merged(
  import.meta.glob('../../locales/ar/*.json', { eager: true, import: 'default' }),
);
