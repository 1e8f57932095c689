import { t } from '../../base/i18n.ts';
import { type Condition, listOf, type Scalar, shapeOf } from '../../grid/list-filters.ts';
import { docstatusWord, formatValue } from '../../meta/field-values.ts';
import { OPERATORS, wordOf } from '../../meta/operators.ts';
import type { FilterField } from './filter-fields.ts';

const SIGNS: Readonly<Record<string, string>> = {
  '=': '=',
  '!=': '≠',
  '>': '>',
  '<': '<',
  '>=': '≥',
  '<=': '≤',
};
/** Maximum values of a list in a chip. */
const SHOWN = 3;

/** A condition as readable text: `Status = Open`, `Customer is one of A, B`. */
export function describeCondition(condition: Condition, { field, label }: FilterField): string {
  const { operator, value } = condition;
  const values = listOf(value);
  const shape = shapeOf(operator);
  if (shape === 'presence') return `${label} ${values[0] === 'not set' ? t('is not set') : t('is set')}`;
  const sign = SIGNS[operator] ?? wordFor(operator);
  const texts = values.map((one) => valueText(one, field));
  if (shape === 'range') return `${label}: ${texts.join(' – ')}`;
  if (shape === 'pattern') return `${label} ${sign} ${plainPattern(String(values[0] ?? ''))}`;
  const rest = texts.length - SHOWN;
  const shown = rest > 0 ? `${texts.slice(0, SHOWN).join(', ')} +${rest}` : texts.join(', ');
  return `${label} ${sign} ${shown}`;
}

function wordFor(operator: string): string {
  const known = OPERATORS.find((one) => one === operator);
  return known ? wordOf(known) : operator;
}

function valueText(value: Scalar, field: FilterField['field']): string {
  if (value === null || value === '') return t('nothing');
  if (field.fieldname === 'docstatus') return docstatusWord(Number(value));
  return formatValue(field, value);
}

// The text between two wildcards is the search term.
function plainPattern(pattern: string): string {
  const inner = /^%(.*)%$/s.exec(pattern)?.[1];
  return inner !== undefined && !/(^|[^\\])[%_]/.test(inner) ? `“${inner.replace(/\\(.)/g, '$1')}”` : pattern;
}
