import { merged } from './merged.ts';

/** Spanish, all areas in one chunk but for those of `loadTexts`. */
export const catalogue = merged(
  import.meta.glob(['../../locales/es/*.json', '!**/{designer,settings}.json'], {
    eager: true,
    import: 'default',
  }),
);
