import { ServiceError } from '../../kernel/errors.ts';
import type { DocField } from '../doctype.ts';
import { roundDecimal } from './decimal.ts';
import { type FieldType, labelOf, quote, refuse, refuseCompound } from './fieldtype.ts';

/** Stored decimals. A field's `precision` is for display. */
const DECIMALS = 9;

// Above this number a double no longer holds cents; a refusal is better than a changed amount.
const LARGEST = 1e15;

const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const WHOLE_NUMERAL = /^[+-]?\d+(?:\.0*)?$/;
// As spreadsheets and people write amounts: 1,234.56. A comma may be a decimal one, so 1,5 and 0,123 are refused.
// More groups are beyond the largest number, and would take long to join.
const GROUPED_NUMERAL = /^[+-]?[1-9]\d{0,2}(?:,\d{3}){1,6}(?:\.\d*)?$/;

function numberOf(value: unknown, field: DocField, numeral = NUMERAL): number {
  if (value === null || value === undefined) return 0;
  refuseCompound(value, field);
  let number = value;
  if (typeof value === 'string') {
    const text = value.trim();
    if (text === '') return 0;
    if (!numeral.test(text)) return refuse(field, `must be a number, not ${quote(value)}`);
    number = Number(text);
  }
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return refuse(field, `must be a number, not ${quote(value)}`);
  }
  return number === 0 ? 0 : number; // never -0, whose JSON and SQL forms differ
}

function checkSign(number: number, field: DocField): number {
  if (field.non_negative && number < 0) {
    throw new ServiceError('NonNegativeError', `${labelOf(field)} cannot be negative`);
  }
  return number;
}

function intOf(value: unknown, field: DocField): number {
  const number = numberOf(value, field, WHOLE_NUMERAL);
  if (!Number.isInteger(number)) refuse(field, `must be a whole number, not ${quote(value)}`);
  if (!Number.isSafeInteger(number)) {
    refuse(field, `must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`);
  }
  return checkSign(number, field);
}

/** At most nine decimals, rounded half away from zero; refuses numbers beyond 1e15. */
function decimalOf(value: unknown, field: DocField): number {
  const number = numberOf(value, field);
  if (Math.abs(number) > LARGEST) refuse(field, `must be between -${LARGEST} and ${LARGEST}`);
  return checkSign(roundDecimal(number, DECIMALS), field);
}

/** Text with groups of three digits as plain digits; any other value as it is. */
function ungrouped(value: unknown): unknown {
  if (typeof value !== 'string' || !GROUPED_NUMERAL.test(value.trim())) return value;
  return value.replaceAll(',', '');
}

/** Seconds. Unlike other numbers, a Duration may be unset: no time is not a time of 0. */
function durationOf(value: unknown, field: DocField): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && value.trim() === '') return null;
  const seconds = decimalOf(value, field);
  if (seconds < 0) throw new ServiceError('NonNegativeError', `${labelOf(field)} cannot be negative`);
  return seconds;
}

/** A fraction of the stars: 0.6 is three of five. */
function ratingOf(value: unknown, field: DocField): number {
  const share = decimalOf(value, field);
  if (share < 0 || share > 1) refuse(field, `must be between 0 and 1, not ${quote(value)}`);
  return share;
}

function numberType(name: string, column: 'integer' | 'real', coerce: FieldType['coerce']): FieldType {
  return {
    name,
    column,
    empty: () => 0,
    ordered: true,
    textual: false,
    allowsUnique: false,
    coerce,
    coerceOperand: (value, field) => numberOf(value, field),
  };
}

// A number that people write with groups of three digits.
function amountType(name: string): FieldType {
  return {
    ...numberType(name, 'real', (value, field) => decimalOf(ungrouped(value), field)),
    coerceOperand: (value, field) => numberOf(ungrouped(value), field),
  };
}

export const NUMBER_TYPES: readonly FieldType[] = [
  numberType('Int', 'integer', intOf),
  amountType('Float'),
  amountType('Currency'),
  amountType('Percent'),
  { ...numberType('Duration', 'real', durationOf), empty: () => null },
  numberType('Rating', 'real', ratingOf),
];
