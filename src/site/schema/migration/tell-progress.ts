import type { Connection } from '../../../db/database.ts';
import type { SchemaChange } from '../../../db/dialect.ts';
import { LIMITS } from '../../../kernel/limits.ts';
import type { Observer } from '../../../kernel/observation.ts';
import { countRows, isHeavy, weighChanges } from './weigh-changes.ts';

/** Changes that go through the rows of a large table. */
export interface Work {
  readonly table: string;
  readonly rows: number;
  /** An estimate. */
  readonly seconds: number;
}

/** The work that changes of a table are; null where it takes no time to speak of. */
export async function workOf(
  connection: Connection,
  table: string,
  changes: readonly SchemaChange[],
): Promise<Work | null> {
  if (!isHeavy(connection.dialect.name, changes)) return null;
  const rows = await countRows(connection, table);
  if (rows < LIMITS.migrationTold) return null;
  const { seconds } = await weighChanges(connection, table, rows, changes);
  return { table, rows, seconds };
}

/**
 * Tells how far the work of a migration is: call the result before each part. A part that is one statement cannot be
 * told from inside, so its begin is told with its rows.
 */
export function tellProgress(work: readonly Work[], observe: Observer): (table: string) => void {
  const left = [...work];
  const began = performance.now();
  return (table) => {
    const part = left.find((each) => each.table === table);
    if (!part) return;
    const done = secondsOf(work) - secondsOf(left);
    // The estimate, corrected by what the parts before have taken.
    const pace = done === 0 ? 1 : (performance.now() - began) / 1_000 / done;
    observe({
      kind: 'migrating',
      table,
      rows: part.rows,
      step: work.length - left.length + 1,
      steps: work.length,
      secondsLeft: Math.ceil(secondsOf(left) * pace),
    });
    left.splice(left.indexOf(part), 1);
  };
}

function secondsOf(work: readonly Work[]): number {
  return work.reduce((sum, { seconds }) => sum + seconds, 0);
}
