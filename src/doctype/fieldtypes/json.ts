import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type FieldValue, isRecord } from '../../kernel/value.ts';
import type { DocField } from '../doctype.ts';
import { type FieldType, labelOf, refuse, TEXTUAL } from './fieldtype.ts';
import { textOf } from './text.ts';

/**
 * Compact JSON text of a list, an object, a boolean, a number, or JSON text; the digits of numbers in a text
 * are kept.
 */
function jsonOf(value: unknown, field: DocField): FieldValue {
  const text = typeof value === 'object' && value !== null ? serialise(value, field) : scalarOf(value, field);
  if (text === null || text.trim() === '') return null;
  const compact = compactJson(text, field);
  if (Buffer.byteLength(compact) > LIMITS.textBytes) {
    throw new ServiceError(
      'CharacterLengthExceededError',
      `${labelOf(field)} is too long: the most is ${LIMITS.textBytes} bytes`,
    );
  }
  return compact;
}

/** Text is JSON already. `true` and `false` keep their form; in text fields they become 1 and 0. */
function scalarOf(value: unknown, field: DocField): string | null {
  return typeof value === 'boolean' ? String(value) : textOf(value, field);
}

function serialise(value: object, field: DocField): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return refuse(field, 'cannot be written as JSON'); // too deep, circular, or a bigint: a hook's doing
  }
}

/** Drops white space between tokens. Parsing and serializing would change numbers beyond double precision. */
function compactJson(text: string, field: DocField): string {
  checkDepth(text, field);
  try {
    JSON.parse(text);
  } catch {
    return refuse(field, 'must be valid JSON');
  }
  if (!/\s/.test(text)) return text;
  let compact = '';
  let start = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inText && character === BACKSLASH) at++;
    else if (character === QUOTE) inText = !inText;
    else if (!inText && character <= SPACE) {
      compact += text.slice(start, at);
      start = at + 1;
    }
  }
  return compact + text.slice(start);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPENING = new Set([0x5b, 0x7b]); // [ {
const CLOSING = new Set([0x5d, 0x7d]); // ] }

function checkDepth(text: string, field: DocField): void {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inText && character === BACKSLASH) at++;
    else if (character === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (CLOSING.has(character)) depth--;
    else if (OPENING.has(character) && ++depth > LIMITS.jsonDepth) {
      refuse(field, `must not be nested more than ${LIMITS.jsonDepth} deep`);
    }
  }
}

/** GeoJSON: an object with a type. */
function geolocationOf(value: unknown, field: DocField): FieldValue {
  const text = jsonOf(value, field);
  if (text === null) return null;
  const shape: unknown = JSON.parse(String(text));
  if (!isRecord(shape) || typeof shape['type'] !== 'string') {
    refuse(field, 'must be a GeoJSON object, such as a FeatureCollection');
  }
  return text;
}

function jsonType(name: string, coerce: (value: unknown, field: DocField) => FieldValue): FieldType {
  return {
    name,
    ...TEXTUAL,
    allowsUnique: false,
    coerce,
    coerceOperand: scalarOf,
  };
}

export const JSON_TYPES: readonly FieldType[] = [
  jsonType('JSON', jsonOf),
  jsonType('Geolocation', geolocationOf),
];
