import { UniqueViolation } from '../../db/driver-errors.ts';
import type { DocType } from '../../doctype/doctype.ts';

/** Runs a write; the error for a duplicate value names the field by its label. */
export async function labelUnique<T>(doctype: DocType, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UniqueViolation) {
      const field = doctype.fieldByName.get(error.column);
      // The same object, because a transaction fails with the first error it saw.
      if (field) error.message = `${field.label} must be unique`;
    }
    throw error;
  }
}
