import type { Database } from '../db/database.ts';
import { isMissingRelation, unavailable } from '../db/driver-errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Metadata } from './metadata.ts';
import { readDoctypeVersion } from './settings-table.ts';

/**
 * A statement that names a table or column which is gone, made of a registry that was current when the request began:
 * trying again gives the right answer. Without such a change the error is a bug and stays what it is.
 */
export async function explainMovedSchema(
  database: Database,
  metadata: Metadata,
  error: unknown,
): Promise<unknown> {
  if (!isMissingRelation(error)) return error;
  const moved = unavailable('The doctype was changed at this moment, please try again');
  if (performance.now() - metadata.changedAt < LIMITS.transactionTimeout) return moved;
  const version = await readDoctypeVersion(database.reader).catch(() => null);
  if (version === null || version === metadata.current.version) return error;
  // Another node changed it, and this one has not heard yet.
  await metadata.reload().catch(() => {});
  return moved;
}
