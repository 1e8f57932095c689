import type { ColumnKind } from '../db/dialect.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { DocField } from './doctype.ts';
import { fieldtypeOf } from './fieldtypes/fieldtypes.ts';

/** A schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schema of a standard column (`name`, `creation`, …), which the server sets. */
export function standardSchema(fieldname: string, kind: ColumnKind): JsonSchema {
  if (fieldname === 'docstatus') {
    return { enum: [0, 1, 2], readOnly: true, description: '0 draft, 1 submitted, 2 cancelled' };
  }
  const description = STANDARD[fieldname];
  const facts = { readOnly: true, ...(description === undefined ? {} : { description }) };
  if (kind === 'integer') return { type: 'integer', ...facts };
  return { type: 'string', ...facts, ...formOf(kind) };
}

const STANDARD: Readonly<Record<string, string>> = {
  owner: 'User who created the document',
  creation: 'Time of its creation',
  modified: 'Time of its last change',
  modified_by: 'User who changed it last',
  idx: 'Place among the rows of its table, from 1',
};

/** Schema of a field's value in replies: null where unset, in replies that include nulls. */
export function readValueSchema(field: DocField): JsonSchema {
  const fieldtype = fieldtypeOf(field);
  const { column } = fieldtype;
  const nullable = field.is_virtual || fieldtype.empty(field) === null;
  if (field.fieldtype === 'Check') return { enum: nullable ? [0, 1, null] : [0, 1] };
  if (column === 'integer' || column === 'real') {
    const type = column === 'integer' ? 'integer' : 'number';
    return { type: nullable ? [type, 'null'] : type, ...rangeOf(field) };
  }
  const choices = choicesOf(field);
  if (choices) return { enum: nullable ? [...choices, null] : choices };
  if (field.fieldtype === 'Password') {
    return { type: ['string', 'null'], description: 'Stars when it is set, never the secret itself.' };
  }
  return { type: ['string', 'null'], ...(column === null ? {} : formOf(column)), ...annotationOf(field) };
}

/** Schema of a field's value in requests; null and '' mean unset. */
export function writtenValueSchema(field: DocField): JsonSchema {
  const { column } = fieldtypeOf(field);
  const preset = presetOf(field);
  if (field.fieldtype === 'Check') return { enum: [0, 1, true, false, null], ...preset };
  if (column === 'integer') return { type: ['integer', 'null'], ...rangeOf(field), ...preset };
  if (column === 'real') return { type: ['number', 'null'], ...rangeOf(field), ...preset };
  const choices = choicesOf(field);
  if (choices) return { enum: [...choices, null], ...preset };
  if (field.fieldtype === 'JSON') {
    return {
      type: ['string', 'number', 'boolean', 'object', 'array', 'null'],
      description: 'A value, or the JSON text of one.',
    };
  }
  const form =
    column === 'datetime'
      ? { examples: ['2026-01-31 09:30:00'] }
      : column === 'time'
        ? { examples: ['09:30:00'] }
        : {};
  return {
    type: ['string', 'null'],
    ...(column === 'date' ? { examples: ['2026-01-31'] } : form),
    ...annotationOf(field),
    ...lengthOf(field),
    ...(field.fieldtype === 'Password' ? { writeOnly: true } : {}),
    ...preset,
  };
}

// The server's own formats; seconds may have six digits, by a setting of the site.
function formOf(kind: ColumnKind): JsonSchema {
  switch (kind) {
    case 'date':
      return { format: 'date', examples: ['2026-01-31'] };
    case 'datetime':
      return {
        pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}(\\.\\d{6})?$',
        examples: ['2026-01-31 09:30:00'],
      };
    case 'time':
      return { pattern: '^\\d{2}:\\d{2}:\\d{2}(\\.\\d{6})?$', examples: ['09:30:00'] };
    default:
      return {};
  }
}

function rangeOf(field: DocField): JsonSchema {
  if (field.fieldtype === 'Rating') return { minimum: 0, maximum: 1 };
  return field.non_negative || field.fieldtype === 'Duration' ? { minimum: 0 } : {};
}

// A series is a pattern, and a new one needs no change of the doctype.
function choicesOf(field: DocField): readonly string[] | null {
  if (field.fieldtype !== 'Select' || field.fieldname === 'naming_series') return null;
  const options = new Set(field.options.split('\n').map((line) => line.trim()));
  options.delete('');
  return options.size === 0 ? null : [...options, ''];
}

function annotationOf(field: DocField): JsonSchema {
  if (field.fieldtype === 'JSON') return { contentMediaType: 'application/json' };
  if (field.fieldtype === 'Link') return { 'x-doctype': field.options };
  if (field.fieldtype !== 'Data') return {};
  // A field may hold several addresses, and an empty text is no address: so the format is a hint for forms,
  // not a rule.
  return field.options === 'Email' || field.options === 'URL' || field.options === 'Phone'
    ? { 'x-format': field.options.toLowerCase() }
    : {};
}

// The limits of fieldtypes/text.ts.
function lengthOf(field: DocField): JsonSchema {
  if (field.fieldtype === 'Password') return { maxLength: LIMITS.passwordLength };
  if (field.length > 0 && fieldtypeOf(field).textual && field.fieldtype !== 'Link')
    return { maxLength: field.length };
  return ONE_LINE.has(field.fieldtype) ? { maxLength: LIMITS.dataLength } : {};
}

const ONE_LINE: ReadonlySet<string> = new Set([
  'Data',
  'Phone',
  'Read Only',
  'Color',
  'Icon',
  'Autocomplete',
]);

// Only a literal default: others refer to another document or to a moment.
function presetOf(field: DocField): JsonSchema {
  const text = field.default ?? '';
  if (text === '' || text.startsWith(':') || text.startsWith('__')) return {};
  const { column } = fieldtypeOf(field);
  if (column === 'integer' || column === 'real') {
    const number = Number(text);
    return Number.isFinite(number) ? { default: number } : {};
  }
  return column === 'text' ? { default: text } : {};
}
