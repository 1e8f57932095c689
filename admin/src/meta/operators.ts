import { t } from '../base/i18n.ts';
import { isListable, isNumber } from './fieldtypes.ts';

/** The interface's twelve filter operators. */
export const OPERATORS = [
  '=',
  '!=',
  '>',
  '<',
  '>=',
  '<=',
  'like',
  'not like',
  'in',
  'not in',
  'between',
  'is',
] as const;
export type Operator = (typeof OPERATORS)[number];

const ORDERED: readonly Operator[] = ['=', '!=', '>', '<', '>=', '<=', 'between', 'in', 'not in', 'is'];
const TEXTUAL: readonly Operator[] = OPERATORS;

/** Operators that apply to a fieldtype, the most common one first. */
export function operatorsOf(fieldtype: string): readonly Operator[] {
  if (fieldtype === 'Check') return ['=', '!='];
  if (['Table', 'Table MultiSelect'].includes(fieldtype)) return ['is'];
  if (!isListable(fieldtype)) return [];
  if (isNumber(fieldtype) || ['Date', 'Datetime', 'Time'].includes(fieldtype)) return ORDERED;
  if (['Select', 'Link', 'Dynamic Link'].includes(fieldtype))
    return ['=', '!=', 'in', 'not in', 'like', 'not like', 'is', '>', '<', '>=', '<=', 'between'];
  return ['like', 'not like', ...TEXTUAL.filter((one) => one !== 'like' && one !== 'not like')];
}

/** An operator as text. */
export function wordOf(operator: Operator): string {
  switch (operator) {
    case '=':
      return t('is equal to');
    case '!=':
      return t('is not equal to');
    case '>':
      return t('is greater than');
    case '<':
      return t('is less than');
    case '>=':
      return t('is at least');
    case '<=':
      return t('is at most');
    case 'like':
      return t('contains');
    case 'not like':
      return t('does not contain');
    case 'in':
      return t('is one of');
    case 'not in':
      return t('is not one of');
    case 'between':
      return t('is between');
    case 'is':
      return t('is set or not');
  }
}
