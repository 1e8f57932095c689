import type { DocType } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

/**
 * Normalises a name: trimmed, in Unicode normal form C, safe in a URL path, a log line and on a screen.
 * @throws ServiceError NameError for a forbidden name, ValidationError when empty or too long
 */
export function checkName(doctype: DocType, given: string): string {
  if (!given.isWellFormed()) throw nameError('has characters that are not valid Unicode');
  const name = given.trim().normalize('NFC');
  if (name === '') throw new ServiceError('ValidationError', 'Please set the document name');
  if (
    name.length > LIMITS.nameLength &&
    [...name.slice(0, 2 * LIMITS.nameLength + 1)].length > LIMITS.nameLength
  ) {
    throw new ServiceError('ValidationError', `A name cannot have more than ${LIMITS.nameLength} characters`);
  }
  if (nameKey(doctype, name) === null) throw nameError('must be a whole number from 1');
  if (/[<>]/.test(name)) throw nameError('cannot contain < or >');
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)) {
    throw nameError('cannot contain control characters');
  }
  // Clients and proxies remove a path segment of dots only.
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(name)) throw nameError('cannot have "." or ".." as a path segment');
  if (name.startsWith(`New ${doctype.name}`)) {
    throw nameError(`cannot start with "New ${doctype.name}"`);
  }
  if (name === doctype.name && !doctype.issingle) throw nameError(`cannot be "${doctype.name}"`);
  return name;
}

function nameError(problem: string): ServiceError {
  return new ServiceError('NameError', `The name ${problem}`);
}
