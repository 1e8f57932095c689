import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { DocField } from '../doctype.ts';
import { type FieldType, labelOf, quote, refuse, refuseCompound, TEXTUAL } from './fieldtype.ts';

/**
 * A value as text: strings unchanged, numbers and booleans as their text (true is `1`).
 * @throws ServiceError for lists, objects, numbers beyond 2^53, and text that no engine stores (NUL, half a
 * surrogate pair)
 */
export function textOf(value: unknown, field: DocField): string | null {
  if (value === null || value === undefined) return null;
  refuseCompound(value, field);
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') {
    // The client means the digits of a long number, and JSON parsing has already lost some of them.
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
      refuse(field, 'must be text: the number has too many digits');
    return String(value);
  }
  if (typeof value !== 'string') refuse(field, 'must be text');
  if (value.includes('\0')) refuse(field, 'cannot contain the NUL character');
  if (!value.isWellFormed()) refuse(field, 'contains characters that are not valid Unicode');
  return value;
}

/** @throws ServiceError CharacterLengthExceededError when `text` has more than `limit` code points */
export function checkLength(text: string, limit: number, field: DocField): void {
  if (text.length <= limit) return;
  // Code points, not UTF-16 units. A text of more than twice the limit is too long in either count.
  if (text.length <= 2 * limit && [...text].length <= limit) return;
  throw new ServiceError(
    'CharacterLengthExceededError',
    `${labelOf(field)} will get truncated, as max characters allowed is ${limit}`,
  );
}

function checkBytes(text: string, field: DocField): void {
  if (text.length * 3 <= LIMITS.textBytes || Buffer.byteLength(text) <= LIMITS.textBytes) return;
  throw new ServiceError(
    'CharacterLengthExceededError',
    `${labelOf(field)} is too long: the most is ${LIMITS.textBytes} bytes`,
  );
}

/** One line of text with a length limit; `check` tests text that is not empty. */
function dataType(name: string, check?: (text: string, field: DocField) => void): FieldType {
  return {
    name,
    ...TEXTUAL,
    allowsUnique: true,
    coerce(value, field) {
      const text = textOf(value, field);
      if (text === null || text === '') return field.unique ? null : text;
      checkLength(text, field.length || LIMITS.dataLength, field);
      check?.(text, field);
      return text;
    },
    coerceOperand: textOf,
  };
}

/** Text of any length up to `LIMITS.textBytes`, or `length` code points where the field has one. */
export function longType(name: string): FieldType {
  return {
    name,
    ...TEXTUAL,
    allowsUnique: false,
    coerce(value, field) {
      const text = textOf(value, field);
      if (text === null) return null;
      if (field.length > 0) checkLength(text, field.length, field);
      checkBytes(text, field);
      return text;
    },
    coerceOperand: textOf,
  };
}

function checkFormat(text: string, field: DocField): void {
  FORMATS.get(field.options)?.(text, field);
}

const PERSON_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’. -]*$/u;
const LOCAL_PART = /^[^\s@,;:<>()[\]\\"]{1,64}$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

// These two users have no address, and are valid wherever a user's address is.
const STANDARD_USERS = new Set(['Administrator', 'Guest']);

/** Addresses separated by commas, each plain or as `Jane Roe <jane@example.com>`. */
function checkEmail(text: string, field: DocField): void {
  if (STANDARD_USERS.has(text)) return;
  for (const part of text.split(',')) {
    const address = addressOf(part.trim());
    if (address !== null && isEmailAddress(address)) continue;
    throw new ServiceError(
      'InvalidEmailAddressError',
      `${labelOf(field)}: ${quote(part.trim())} is not a valid Email Address`,
    );
  }
}

function addressOf(part: string): string | null {
  const open = part.indexOf('<');
  if (open < 0) return part;
  return part.endsWith('>') ? part.slice(open + 1, -1) : null;
}

function isEmailAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  if (at < 1 || !LOCAL_PART.test(address.slice(0, at))) return false;
  const labels = address.slice(at + 1).split('.');
  return labels.length >= 2 && labels.every((label) => DOMAIN_LABEL.test(label));
}

function checkPhone(text: string, field: DocField): void {
  if (/^[0-9 +_\-,.*#()/]{1,30}$/.test(text) && /[0-9]/.test(text)) return;
  throw new ServiceError(
    'InvalidPhoneNumberError',
    `${labelOf(field)}: ${quote(text)} is not a valid Phone Number`,
  );
}

// Schemes of locations; never `javascript:`, which would run wherever the value is shown as a link.
const URL_SCHEMES = new Set(['http:', 'https:', 'ftp:', 'ftps:', 'sftp:']);

function checkName(text: string, field: DocField): void {
  if (PERSON_NAME.test(text)) return;
  throw new ServiceError('InvalidNameError', `${labelOf(field)} ${quote(text)} is not a valid name`);
}

function checkUrl(text: string, field: DocField): void {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (url && url.host !== '' && URL_SCHEMES.has(url.protocol)) return;
  refuse(field, `${quote(text)} is not a valid URL`);
}

// By the `options` of a Data field.
const FORMATS: ReadonlyMap<string, (text: string, field: DocField) => void> = new Map([
  ['Email', checkEmail],
  ['Phone', checkPhone],
  ['URL', checkUrl],
  ['Name', checkName],
]);

export const TEXT_TYPES: readonly FieldType[] = [
  dataType('Data', checkFormat),
  dataType('Phone', checkPhone),
  ...['Read Only', 'Color', 'Icon', 'Autocomplete'].map((name) => dataType(name)),
  ...[
    'Small Text',
    'Text',
    'Long Text',
    'Code',
    'Text Editor',
    'HTML Editor',
    'Markdown Editor',
    'Signature',
    'Barcode',
  ].map(longType),
];
