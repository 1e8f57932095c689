import type { DocField } from '../doctype/doctype.ts';
import { sanitiseHtml } from '../document/check/sanitise-html.ts';
import { Html, html } from '../kernel/html.ts';
import { LIMITS } from '../kernel/limits.ts';
import { Recent } from '../kernel/recent.ts';

/** The locale of a printed document, and the titles of the documents that it links to. */
export interface Customs {
  /** A BCP 47 tag. */
  readonly locale: string;
  /** The title of a linked document; its name where it has none or the reader may not see it. */
  readonly titleOf: (doctypeName: string, name: string) => string;
  /** The printed document: amounts of its rows may have its currency. */
  readonly doc: Holder;
  /** The currency of amounts without one; '' for none. */
  readonly currency: string;
}

/** The values beside a field: those of its document or of its row. */
export type Holder = Readonly<Record<string, unknown>>;

/** Formatters that stay in memory, of each kind. */
const FORMATS = 100;

const NUMBERS = new Set(['Int', 'Long Int', 'Float', 'Currency', 'Percent', 'Duration']);
const RICH = new Set(['Text Editor', 'HTML Editor']);
const LONG = new Set([
  ...['Text', 'Small Text', 'Long Text', 'Code', 'JSON', 'Markdown Editor', 'Table', 'Table MultiSelect'],
  ...['Image', 'Attach Image', 'Signature', ...RICH],
]);

/** True for a field whose values are aligned at the end. */
export function isNumber({ fieldtype }: DocField): boolean {
  return NUMBERS.has(fieldtype);
}

/** True for a field that takes the whole width of its section. */
export function isLong({ fieldtype }: DocField): boolean {
  return LONG.has(fieldtype);
}

/** The value of a field as a reader sees it; null for an empty one. */
export function printValue(field: DocField, holder: Holder, customs: Customs): Html | null {
  const value = holder[field.fieldname];
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return html`${numberText(field, value, holder, customs)}`;
  if (typeof value !== 'string') return null;
  return textValue(field, value, holder, customs);
}

function textValue(field: DocField, value: string, holder: Holder, customs: Customs): Html | null {
  const { fieldtype, options } = field;
  switch (fieldtype) {
    case 'Password':
      return null;
    case 'Link':
      return html`${customs.titleOf(options, value)}`;
    case 'Dynamic Link':
      return html`${customs.titleOf(String(holder[options] ?? ''), value)}`;
    case 'Date':
      return html`${dateText(value, customs.locale, { dateStyle: 'medium' })}`;
    case 'Datetime':
      return html`${dateText(value, customs.locale, { dateStyle: 'medium', timeStyle: 'short' })}`;
    case 'Time':
      return html`${value.slice(0, 8).replace(/:00$/, '')}`;
    case 'Attach Image':
    case 'Signature':
      return image(value);
    case 'Text Editor':
    case 'HTML Editor':
      return rich(value);
    default:
      return html`${value}`;
  }
}

/** HTML that may have been stored without checks is made safe again. */
export function rich(value: string): Html {
  const safe = sanitiseHtml(value, 'rich', { marks: LIMITS.htmlMarks });
  // An image could request any address of this server with the reader's session.
  const own = safe.replace(/<img\b[^<>]*>/gi, (tag) => {
    const [, source = ''] = /\bsrc="([^"]*)"/i.exec(tag) ?? [];
    return isOwnImage(source) ? tag : '';
  });
  return html`<div class="rich">${new Html(own)}</div>`;
}

/** An image of this server, or one that the value itself contains; the address of any other as text. */
export function image(source: string): Html {
  return isOwnImage(source) ? html`<img src="${source}" alt="">` : html`${source}`;
}

function isOwnImage(source: string): boolean {
  return /^\/(?:private\/)?files\//.test(source) || /^data:image\/(?:png|jpeg|webp|gif);/.test(source);
}

function numberText(field: DocField, value: number, holder: Holder, customs: Customs): string {
  const { locale } = customs;
  const { fieldtype, precision } = field;
  const digits = (places: number) => ({ minimumFractionDigits: places, maximumFractionDigits: places });
  const text = (style: Intl.NumberFormatOptions) => numberFormat(locale, style).format(value);
  switch (fieldtype) {
    case 'Check':
      return value === 1 ? '☑' : '☐';
    case 'Currency': {
      const currency = currencyOf(field, holder, customs);
      const places = precision > 0 ? digits(precision) : {};
      return text(currency === '' ? digits(precision || 2) : { style: 'currency', currency, ...places });
    }
    case 'Percent':
      return numberFormat(locale, { style: 'percent', maximumFractionDigits: precision || 2 }).format(
        value / 100,
      );
    case 'Rating':
      return '★'.repeat(Math.round(value * 5)).padEnd(5, '☆');
    case 'Duration':
      return durationText(value);
    case 'Float':
      return text(precision > 0 ? digits(precision) : { maximumFractionDigits: 9 });
    default:
      return text({ maximumFractionDigits: 9 });
  }
}

// As in forms: the field that the options name, beside the amount or in the document of its row, or a code.
function currencyOf({ options }: DocField, holder: Holder, { doc, currency }: Customs): string {
  if (options === '') return currency;
  const found = [holder[options], doc[options], options].find((one) => /^[A-Z]{3}$/i.test(String(one ?? '')));
  return found === undefined ? currency : String(found).toUpperCase();
}

function durationText(seconds: number): string {
  const rest = Math.round(seconds);
  const parts = [
    [Math.floor(rest / 86_400), 'd'],
    [Math.floor((rest % 86_400) / 3_600), 'h'],
    [Math.floor((rest % 3_600) / 60), 'm'],
    [rest % 60, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : [])).join(' ') || '0s';
}

// Stored times are those of the site, and print as such.
function dateText(value: string, locale: string, style: Intl.DateTimeFormatOptions): string {
  const at = Date.parse(`${value.slice(0, 19).replace(' ', 'T')}${value.length > 10 ? 'Z' : ''}`);
  if (Number.isNaN(at)) return value;
  return dateFormat(locale, style).format(at);
}

// A formatter takes far longer to make than a value to format.
const numberFormats = new Recent<Intl.NumberFormat>(FORMATS);
const dateFormats = new Recent<Intl.DateTimeFormat>(FORMATS);

function numberFormat(locale: string, style: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(style)}`;
  const format = numberFormats.get(key) ?? new Intl.NumberFormat(locale, style);
  numberFormats.set(key, format);
  return format;
}

function dateFormat(locale: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(style)}`;
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
  dateFormats.set(key, format);
  return format;
}
