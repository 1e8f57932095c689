import { merged } from './merged.ts';

/** Arabic, all areas in one chunk but for those of `loadTexts`. */
export const catalogue = merged(
  import.meta.glob(['../../locales/ar/*.json', '!**/{designer,settings}.json'], {
    eager: true,
    import: 'default',
  }),
);
