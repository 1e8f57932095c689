import { isRecord } from '../value.ts';

/** What an expression works with. */
export type Value = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;

/** False are: null, false, 0, the empty text, and a list or table without rows. */
export function isTruthy(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** What a document holds, as a value; anything else it might hold is null. */
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

/** A field of a document or row, or `length` of a text or list; null when there is none. */
export function memberOf(value: Value, key: string): Value {
  if (key === 'length' && (typeof value === 'string' || Array.isArray(value))) return value.length;
  // Own properties only: what every object inherits is no field.
  return isRecord(value) && Object.hasOwn(value, key) ? asValue(value[key]) : null;
}

/** What `value[at]` gives: a field, an element, a character, or null. */
export function elementOf(value: Value, at: Value): Value {
  if (typeof at === 'string') return memberOf(value, at);
  if (typeof at !== 'number' || !Number.isInteger(at)) return null;
  if (Array.isArray(value)) return asValue(value[at]);
  return typeof value === 'string' ? asValue(value[at]) : null;
}

const NUMERAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/;

/** The number that a value is, or that a text spells; else null. */
export function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || value.length > 40 || !NUMERAL.test(value)) return null;
  return asValue(Number(value)) as number | null;
}

/** A result of arithmetic; null for what is no finite number. */
export function numberOr(number: number | null, then: (number: number) => number | null): number | null {
  if (number === null) return null;
  const result = then(number);
  return result !== null && Number.isFinite(result) ? result : null;
}

/** A text, or a number's text; null for the rest. */
export function textOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** Null and the empty text are one thing. */
export function isUnset(value: Value): boolean {
  return value === null || value === '';
}

/** An unset text is null or empty, which is one thing; a number equals its numeral; lists and documents equal nothing. */
export function isEqual(left: Value, right: Value): boolean {
  if (isUnset(left) || isUnset(right)) return isUnset(left) && isUnset(right);
  if (typeof left === 'string' && typeof right === 'string') return left === right;
  const number = numberOf(left);
  return number !== null && number === numberOf(right);
}

/** Texts in the order of their characters, numbers and numerals by size; other pairs are in no order. */
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

/** Any value as a text for people: unset is nothing, a list or document its JSON. */
export function shownText(value: Value): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
