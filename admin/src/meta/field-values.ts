import {
  formatCurrency,
  formatDate,
  formatDatetime,
  formatDuration,
  formatNumber,
  formatPercent,
  formatTime,
} from '../base/format.ts';
import { t, tn } from '../base/i18n.ts';
import { type Ask, currencyOf } from './currency.ts';
import type { Field } from './meta.ts';

/**
 * A value as display text, for cells, version history and read-only fields. '' if unset. `ask` finds the currency
 * of an amount.
 */
export function formatValue(field: Field, value: unknown, ask?: Ask): string {
  if (value === null || value === undefined || value === '') return '';
  const places = field.precision > 0 ? field.precision : undefined;
  const number = Number(value);
  switch (field.fieldtype) {
    case 'Check':
      return number ? t('Yes') : t('No');
    case 'Int':
      if (field.fieldname === 'docstatus') return docstatusWord(number);
      return Number.isFinite(number) ? formatNumber(number) : String(value);
    case 'Float':
      return Number.isFinite(number) ? formatNumber(number, places) : String(value);
    case 'Currency':
      return Number.isFinite(number) ? formatCurrency(number, currencyOf(field, ask), places) : String(value);
    case 'Percent':
      return Number.isFinite(number) ? formatPercent(number, places) : String(value);
    case 'Duration':
      return Number.isFinite(number) ? formatDuration(number) : String(value);
    case 'Rating':
      return Number.isFinite(number)
        ? t('{stars} of 5', { stars: formatNumber(number * 5, 1) })
        : String(value);
    case 'Date':
      return formatDate(String(value));
    case 'Datetime':
      return formatDatetime(String(value));
    case 'Time':
      return formatTime(String(value));
    case 'Password':
      return '••••••••';
    case 'Table':
    case 'Table MultiSelect':
      return Array.isArray(value) ? tn(value.length, '{count} row', '{count} rows') : '';
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

/** A document's state as text. */
export function docstatusWord(docstatus: number): string {
  return docstatus === 1 ? t('Submitted') : docstatus === 2 ? t('Cancelled') : t('Draft');
}

/** A Select's options in order, without the empty one. */
export function choicesOf(field: Field): readonly string[] {
  return [...new Set(field.options.split('\n').map((one) => one.trim()))].filter(Boolean);
}
