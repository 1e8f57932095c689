import { isUtf8 } from 'node:buffer';
import { ServiceError } from './errors.ts';
import { LIMITS } from './limits.ts';

/**
 * Parses a JSON body. Of duplicate keys the last one wins, as in every JavaScript and Python parser.
 * @throws ServiceError BadRequestError for text that is not JSON in UTF-8, is nested deeper than
 * `LIMITS.jsonDepth`, has a key `__proto__`, or has values that no database can store (NUL, lone surrogates,
 * 1e999)
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ServiceError('BadRequestError', 'The body is not valid UTF-8');
  return parseJsonText(bytes.toString('utf8'));
}

/** Parses text that is decoded already, such as the `data` field of a form. */
export function parseJsonText(text: string): unknown {
  checkDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('BadRequestError', 'The body is not valid JSON');
  }
  if (SUSPECT.test(text)) checkValue(value);
  return value;
}

// Only escapes can contain NUL and surrogates, only this name can reach a prototype, and only a large
// exponent or very many digits make a number infinite. Nearly all bodies have none of these and skip the
// check.
const SUSPECT = /__proto__|\\u(?:0000|005f|00[67][0-9a-f]|d[89a-f])|\de\+?\d{3}|\d{30}/i;

// Runs before parsing, because a parser recurses, and because deeply nested values could not be read back.
function checkDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = endOfString(text, at);
      if (at === -1) return;
    } else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > LIMITS.jsonDepth) {
        throw new ServiceError('BadRequestError', `JSON is nested deeper than ${LIMITS.jsonDepth} levels`);
      }
    } else if (code === 125 || code === 93) {
      depth -= 1;
    }
  }
}

// The position of the closing quote; -1 when it is missing, which the parser then reports.
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return -1;
}

function checkValue(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new ServiceError('BadRequestError', 'Text must not contain NUL');
    if (!value.isWellFormed()) {
      throw new ServiceError('BadRequestError', 'Text must not contain lone surrogates');
    }
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new ServiceError('BadRequestError', 'A number is too large');
  } else if (Array.isArray(value)) {
    for (const item of value) checkValue(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw new ServiceError('BadRequestError', 'The key __proto__ is not allowed');
      checkValue(key);
      checkValue(item);
    }
  }
}
