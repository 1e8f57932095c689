import { addTexts, type Catalogue, isRightToLeft, type Language, language, setCatalogue } from './i18n.ts';

const LOADERS: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: () => Promise.resolve({}),
  de: async () => (await import('./catalogue-de.ts')).catalogue,
  es: async () => (await import('./catalogue-es.ts')).catalogue,
  ar: async () => (await import('./catalogue-ar.ts')).catalogue,
};

/** Areas with many texts for few people: their screens load them, and only these use them. */
const AREAS = import.meta.glob<Catalogue>('../../locales/*/{designer,settings}.json', {
  import: 'default',
});

const loaded = new Set<string>();

/** Loads the texts of an area in the current language, and later in those that the user changes to. */
export async function loadTexts(area: string): Promise<void> {
  loaded.add(area);
  const of = language();
  const texts = await areaOf(of, area);
  if (language() === of) addTexts(texts);
}

function areaOf(of: Language, area: string): Promise<Catalogue> {
  return AREAS[`../../locales/${of}/${area}.json`]?.() ?? Promise.resolve({});
}

/** Loads a language and applies it to texts, text direction and the `lang` of the page. */
export async function showLanguage(of: Language): Promise<void> {
  const parts = await Promise.all([LOADERS[of](), ...[...loaded].map((area) => areaOf(of, area))]);
  // admin/theme-first.js reads it, for the direction of the first paint.
  localStorage.setItem('chancery.language', of);
  document.documentElement.lang = of;
  document.documentElement.dir = isRightToLeft(of) ? 'rtl' : 'ltr';
  setCatalogue(of, Object.assign({}, ...parts));
}
