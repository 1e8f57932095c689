import { fold } from '../../db/fold.ts';

/**
 * Folds a name as MariaDB's collation of Frappe's tables compares it: without case, accents and trailing spaces.
 * Two names that it takes for one fold to the same text.
 */
export function foldName(name: string): string {
  // ASCII, the usual case, needs no tables of Unicode.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(name)) return name.toLowerCase().trimEnd();
  return fold(name.normalize('NFD').replaceAll(/\p{Mn}+/gu, '')).trimEnd();
}
