import { language, t, tn } from '../base/i18n.ts';

/* Names of doctypes are English, so that only English can say "20 tickets". Other languages say "20 records". */

/** "20 tickets", "1 ticket". */
export function countOf(doctype: string, count: number): string {
  if (language() !== 'en') return tn(count, '{count} record', '{count} records');
  return `${new Intl.NumberFormat('en').format(count)} ${count === 1 ? nounOf(doctype) : pluralOf(doctype)}`;
}

/** "ticket": the name of a doctype within a sentence. */
export function nounOf(doctype: string): string {
  if (language() !== 'en') return t(doctype);
  // Words such as API keep their capitals.
  return doctype.replace(/(?<=^|[\s/-])\p{Lu}[\p{Ll}\d]+(?=$|[\s/-])/gu, (word) => word.toLowerCase());
}

/** "tickets". */
export function pluralOf(doctype: string): string {
  const noun = nounOf(doctype);
  if (language() !== 'en' || !/[a-z]$/i.test(noun)) return noun;
  if (/(series|settings|news|data|information|equipment|staff)$/i.test(noun)) return noun;
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`;
  if (/person$/i.test(noun)) return noun.replace(/person$/i, 'people');
  return /(s|x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}
