import { type Catalogue, isRightToLeft, type Language, setCatalogue } from './i18n.ts';

const LOADERS: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: () => Promise.resolve({}),
  de: async () => (await import('./catalogue-de.ts')).catalogue,
  es: async () => (await import('./catalogue-es.ts')).catalogue,
  ar: async () => (await import('./catalogue-ar.ts')).catalogue,
};

/** Loads a language and applies it to texts, text direction and the `lang` of the page. */
export async function showLanguage(language: Language): Promise<void> {
  const catalogue = await LOADERS[language]();
  // admin/theme-first.js reads it, for the direction of the first paint.
  localStorage.setItem('chancery.language', language);
  document.documentElement.lang = language;
  document.documentElement.dir = isRightToLeft(language) ? 'rtl' : 'ltr';
  setCatalogue(language, catalogue);
}
