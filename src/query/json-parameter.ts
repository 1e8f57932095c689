import { ServiceError } from '../kernel/errors.ts';

/**
 * A parameter that may be JSON text, JSON text inside JSON, or parsed already. Text that does not look like JSON stays
 * text. '' becomes null: absent.
 * @throws ServiceError BadRequestError (400) for text that looks like JSON and is not
 */
export function jsonParameter(name: string, value: unknown): unknown {
  let current = value ?? null;
  // Clients wrap at most twice: JSON text as a string of a JSON body, or quoted in a query string.
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

/** True for a parameter that says nothing. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
