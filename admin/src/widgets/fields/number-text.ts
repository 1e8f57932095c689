import { currentCustoms } from '../../base/format.ts';
import { language } from '../../base/i18n.ts';

/** Decimal and group separators of a locale. */
interface Signs {
  readonly group: string;
  readonly decimal: string;
  readonly digits: readonly string[];
}

const known = new Map<string, Signs>();

function signsOf(locale: string): Signs {
  let signs = known.get(locale);
  if (!signs) {
    const format = new Intl.NumberFormat(locale);
    const parts = format.formatToParts(-12_345.6);
    const find = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
    const plain = new Intl.NumberFormat(locale, { useGrouping: false });
    signs = {
      group: find('group'),
      decimal: find('decimal') || '.',
      digits: Array.from({ length: 10 }, (_, digit) => plain.format(digit)),
    };
    known.set(locale, signs);
  }
  return signs;
}

/**
 * Parses a number in the locale's format or in program format; undefined if invalid. The locale decides
 * ambiguous text: `1.234` is above a thousand in German.
 */
export function readNumber(
  text: string,
  locale: string = currentCustoms().locale || language(),
): number | undefined {
  const { group, decimal, digits } = signsOf(locale);
  let plain = text
    .trim()
    .replaceAll(/[\s\u00a0\u202f\u200e\u200f\u061c]/g, '')
    .replaceAll('\u2212', '-');
  for (const [digit, sign] of digits.entries())
    if (sign !== String(digit)) plain = plain.replaceAll(sign, String(digit));
  const isGrouped =
    group !== '' && new RegExp(`^[-+]?\\d{1,3}(?:\\${group}\\d{2,3})+(?:\\${decimal}\\d*)?$`).test(plain);
  if (isGrouped) plain = plain.replaceAll(group, '');
  plain = plain.replace(decimal, '.');
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?$/i.test(plain) ? Number(plain) : undefined;
}

/** Formats a number for an input: with the locale's decimal separator, without groups, with all digits. */
export function writeNumber(value: number, locale: string = currentCustoms().locale || language()): string {
  return String(value).replace('.', signsOf(locale).decimal);
}
