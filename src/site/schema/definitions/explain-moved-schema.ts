import type { Database } from '../../../db/database.ts';
import { isMisfit, isMissingRelation, unavailable } from '../../../db/driver-errors.ts';
import { loadDoctypeVersion } from '../../../document/doctype-version.ts';
import { LIMITS } from '../../../kernel/limits.ts';
import type { Metadata } from './metadata.ts';

/**
 * Explains a statement that names a dropped table or column, or has values of another kind than a column,
 * because the registry changed after the request began: a retry gives the right answer. Without such a change
 * the error is a bug, and stays as it is.
 */
export async function explainMovedSchema(
  database: Database,
  metadata: Metadata,
  error: unknown,
): Promise<unknown> {
  if (!isMissingRelation(error) && !isMisfit(error)) return error;
  const moved = unavailable('The doctype was changed at this moment, please try again');
  if (performance.now() - metadata.changedAt < LIMITS.transactionTimeout) return moved;
  // This node may learn of a change while it asks for the version.
  const known = metadata.current.version;
  const version = await loadDoctypeVersion(database.reader).catch(() => null);
  if (version === null || version === known) return error;
  // The change is committed, by this node or another one, and this node does not know it yet.
  await metadata.reload().catch(() => {});
  return moved;
}
