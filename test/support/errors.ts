import assert from 'node:assert/strict';
import { type ErrorType, ServiceError } from '../../src/kernel/errors.ts';

/** Awaits a refusal of this type, and resolves to it. */
export async function refused(
  work: Promise<unknown>,
  type: ErrorType,
  message?: string | RegExp,
): Promise<ServiceError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) assert.fail(`expected ${type}, but it was done`);
  if (!(error instanceof ServiceError)) throw error;
  assert.equal(error.type, type, error.message);
  if (message instanceof RegExp) assert.match(error.message, message);
  else if (message !== undefined) assert.equal(error.message, message);
  return error;
}
