import { merged } from './merged.ts';

/** German, all areas in one chunk but for those of `loadTexts`. */
export const catalogue = merged(
  import.meta.glob(['../../locales/de/*.json', '!**/{designer,settings}.json'], {
    eager: true,
    import: 'default',
  }),
);
