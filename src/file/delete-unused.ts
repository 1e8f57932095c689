import { ServiceError } from '../kernel/errors.ts';
import type { Storage } from './storage.ts';

/**
 * Deletes an object that nothing refers to. While the store is not available, it stays and is collected later; the
 * store itself has reported why.
 */
export async function deleteUnused(storage: Pick<Storage, 'delete'>, key: string): Promise<void> {
  try {
    await storage.delete(key);
  } catch (error) {
    if (!isStoreAway(error)) throw error;
  }
}

/** True for the error of a store that is not available, which the store has reported. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'ServiceUnavailableError';
}
