import { createStore, useStore } from './store.ts';

/** Translation of an English text: one text, or one per plural category of the language. */
export type Translation = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
/** Translations of one language, keyed by the English text. */
export type Catalogue = Readonly<Record<string, Translation>>;
export type Params = Readonly<Record<string, string | number>>;

/** Languages of the UI with their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', ar: 'العربية' } as const;
export type Language = keyof typeof LANGUAGES;

interface Current {
  readonly language: Language;
  readonly catalogue: Catalogue;
  readonly plurals: Intl.PluralRules;
}

const current = createStore<Current>({ language: 'en', catalogue: {}, plurals: new Intl.PluralRules('en') });

/** The text in the user's language. The key is the English text; `{name}` in it is a parameter. */
export function t(key: string, params?: Params): string {
  const found = current.get().catalogue[key];
  return fill(typeof found === 'string' ? found : (found?.other ?? key), params);
}

/** A text with a count. Its key is the English plural: `tn(3, '{count} row', '{count} rows')`. */
export function tn(count: number, one: string, other: string, params?: Params): string {
  const { catalogue, plurals } = current.get();
  const found = catalogue[other];
  const shown = { count: new Intl.NumberFormat(withLatinDigits(language())).format(count), ...params };
  if (found === undefined) return fill(count === 1 ? one : other, shown);
  return fill(
    typeof found === 'string' ? found : (found[plurals.select(count)] ?? found.other ?? other),
    shown,
  );
}

/** The current language. */
export function language(): Language {
  return current.get().language;
}

/** The current language; the component re-renders when it changes. */
export function useLanguage(): Language {
  return useStore(current).language;
}

/** Whether a language is written from right to left. */
export function isRightToLeft(of: Language): boolean {
  return of === 'ar';
}

/**
 * A locale with the digits 0 to 9 in every language: names, codes and times of programs have them too, and two
 * kinds of digits in one table are hard to compare.
 */
export function withLatinDigits(locale: string): string {
  return new Intl.Locale(locale, { numberingSystem: 'latn' }).toString();
}

/** Sets the language of all texts. `base/catalogues.ts` loads the catalogue first. */
export function setCatalogue(of: Language, catalogue: Catalogue): void {
  current.set({ language: of, catalogue, plurals: new Intl.PluralRules(of) });
}

/** Adds texts of the current language. */
export function addTexts(texts: Catalogue): void {
  const now = current.get();
  current.set({ ...now, catalogue: { ...now.catalogue, ...texts } });
}

/** The closest available language to the first match in `wanted`: `de-AT` gives German. */
export function closestLanguage(wanted: readonly (string | null | undefined)[]): Language {
  for (const tag of wanted) {
    const base = (tag ?? '').toLowerCase().split(/[-_]/)[0] ?? '';
    if (base in LANGUAGES) return base as Language;
  }
  return 'en';
}

function fill(text: string, params: Params | undefined): string {
  if (!params) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    return value === undefined ? whole : String(value);
  });
}
