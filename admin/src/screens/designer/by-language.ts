import { type Language, language } from '../../base/i18n.ts';

/** The function, run once for each language: its result is the same object at each call. */
export function byLanguage<T>(make: () => T): () => T {
  const made = new Map<Language, T>();
  return () => {
    const known = made.get(language());
    if (known !== undefined) return known;
    const fresh = make();
    made.set(language(), fresh);
    return fresh;
  };
}
