import { merged } from './merged.ts';

/** Spanish, all areas in one chunk. */
export const catalogue = merged(
  import.meta.glob('../../locales/es/*.json', { eager: true, import: 'default' }),
);
