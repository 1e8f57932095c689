import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * A parameter that may be JSON text, JSON text inside JSON, or parsed already. Text that does not look like JSON stays
 * text. '' becomes null: absent.
 * @throws ServiceError BadRequestError (400) for text that looks like JSON and is not, ValidationError (417) for more
 *   characters than `LIMITS.queryTextLength`
 */
export function jsonParameter(name: string, value: unknown): unknown {
  checkShort(name, value);
  let current = value ?? null;
  // Clients encode at most twice: JSON text as a string of a JSON body, or quoted in a query string.
  for (let depth = 0; depth < 3 && typeof current === 'string'; depth += 1) {
    const text = current.trim();
    if (text === '' || text === 'null') return null;
    if (!/^[[{"]/.test(text)) return text;
    try {
      current = JSON.parse(text);
    } catch {
      throw new ServiceError('BadRequestError', `Parameter ${name} is not valid JSON`);
    }
  }
  return current;
}

/**
 * Refuses a query parameter that is too long before it is parsed: a text, or the sum of the texts and values
 * of a JSON parameter.
 * @throws ServiceError ValidationError
 */
export function checkShort(name: string, value: unknown): void {
  if (remaining(value, LIMITS.queryTextLength) < 0) {
    throw new ServiceError(
      'ValidationError',
      `Parameter ${name} has more than ${LIMITS.queryTextLength} characters`,
    );
  }
}

// The rest of `length` after this value, of which each part counts at least one; negative when exceeded.
function remaining(value: unknown, length: number): number {
  if (typeof value === 'string') return length - value.length;
  if (typeof value !== 'object' || value === null) return length;
  let rest = length;
  const isList = Array.isArray(value);
  for (const key in value) {
    rest = remaining(value[key as keyof typeof value], rest - (isList ? 1 : key.length + 1));
    if (rest < 0) break;
  }
  return rest;
}

/** True for false and 0, and their texts in any case: Python and .NET send `False`. */
export function isFalse(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(?:false|0)$/i.test(value));
}

/** True for an absent parameter. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
