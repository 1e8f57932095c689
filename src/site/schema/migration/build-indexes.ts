import { applyChanges } from '../../../db/apply-changes.ts';
import type { Connection, Database } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import { sql } from '../../../db/sql.ts';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import type { Observer } from '../../../kernel/observation.ts';
import { raiseDoctypeVersion } from '../../settings/settings-table.ts';
import { missingIndexes } from './change-table.ts';

/** The setting that records missing indexes. */
export const INDEXES_PENDING = 'indexes_pending';

/**
 * Builds the indexes that `changeTable` deferred, each in its own transaction: a killed process loses only
 * the current one, and the next start continues there.
 */
export async function buildIndexes(
  database: Database,
  registry: DoctypeRegistry,
  observe: Observer,
): Promise<void> {
  for (const doctype of registry.all()) {
    const missing = missingIndexes(doctype, await describeTable(database.reader, doctype.name));
    for (const change of missing) {
      const built = await database.transaction(async (connection) => {
        // Of several starting nodes, one builds; the others wait here and find the index.
        await raiseDoctypeVersion(connection);
        const actual = await describeTable(connection, doctype.name);
        const still = missingIndexes(doctype, actual).some(
          (other) =>
            other.change === 'create_index' &&
            change.change === 'create_index' &&
            other.index.name === change.index.name,
        );
        if (still) await applyChanges(connection, [change]);
        return still;
      });
      if (built) observe({ kind: 'schema_changed', doctype: doctype.name, changes: 1 });
    }
  }
  await database.transaction((connection) => forget(connection));
}

async function forget(connection: Connection): Promise<void> {
  await connection.run(sql`delete from "_setting" where "key" = ${INDEXES_PENDING}`);
}
