import { isRecord } from '../value.ts';

/** A value of an expression. */
export type Value = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;

/** These values are false: null, false, 0, the empty text, and an empty list or table. */
export function isTruthy(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Converts a document's value. Anything else becomes null. */
export function asValue(held: unknown): Value {
  switch (typeof held) {
    case 'string':
    case 'boolean':
      return held;
    case 'number':
      return Number.isFinite(held) ? held : null;
    default:
      return Array.isArray(held) || isRecord(held) ? held : null;
  }
}

/** A field of a document or row, or `length` of a text or list; otherwise null. */
export function memberOf(value: Value, key: string): Value {
  if (key === 'length' && (typeof value === 'string' || Array.isArray(value))) return value.length;
  // Own properties only: inherited properties are no fields.
  return isRecord(value) && Object.hasOwn(value, key) ? asValue(value[key]) : null;
}

/** The value of `value[at]`: a field, an element, a character, or null. */
export function elementOf(value: Value, at: Value): Value {
  if (typeof at === 'string') return memberOf(value, at);
  if (typeof at !== 'number' || !Number.isInteger(at)) return null;
  if (Array.isArray(value)) return asValue(value[at]);
  return typeof value === 'string' ? asValue(value[at]) : null;
}

const NUMERAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/;

/** The number of a numeric value or text; otherwise null. */
export function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || value.length > 40 || !NUMERAL.test(value)) return null;
  return asValue(Number(value)) as number | null;
}

/** A result of arithmetic; null when it is not finite. */
export function numberOr(number: number | null, then: (number: number) => number | null): number | null {
  if (number === null) return null;
  const result = then(number);
  return result !== null && Number.isFinite(result) ? result : null;
}

/** A text, or a number as text; otherwise null. */
export function textOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** True for null and the empty text, which are equal. */
export function isUnset(value: Value): boolean {
  return value === null || value === '';
}

/** Null and the empty text are equal; a number equals its numeral; lists and documents equal nothing. */
export function isEqual(left: Value, right: Value): boolean {
  if (isUnset(left) || isUnset(right)) return isUnset(left) && isUnset(right);
  if (typeof left === 'string' && typeof right === 'string') return left === right;
  const number = numberOf(left);
  return number !== null && number === numberOf(right);
}

/** Compares texts by their characters, and numbers and numerals by size. Other pairs have no order. */
export function isOrdered(operator: '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return inOrder(operator, left, right);
  const [a, b] = [numberOf(left), numberOf(right)];
  return a !== null && b !== null && inOrder(operator, a, b);
}

function inOrder<T extends string | number>(operator: '<' | '<=' | '>' | '>=', a: T, b: T): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
  }
}

/** Formats a value for people: unset as the empty text, a list or document as JSON. */
export function shownText(value: Value): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
