import type { Connection } from '../db/database.ts';
import { EMPTY, sql } from '../db/sql.ts';
import type { LedgerEntry } from './ledger.ts';

/** What became of a record of a load, in the ledger. */
export type LoadedRecord = Pick<LedgerEntry, 'seq' | 'row' | 'doctype' | 'name' | 'action'>;

/** The outcomes of records in the ledger; those that failed are in the log. */
export const RECORDED: readonly LoadedRecord['action'][] = [
  ...(['inserted', 'updated', 'unchanged', 'skipped', 'kept'] as const),
];

/** A page of the records of a load behind the number `after`, in the order in which they were stored. */
export async function readRecords(
  db: Connection,
  load: string,
  page: {
    readonly after: number;
    readonly limit: number;
    readonly action?: LoadedRecord['action'] | undefined;
  },
): Promise<LoadedRecord[]> {
  const only = page.action === undefined ? EMPTY : sql` and "action" = ${page.action}`;
  const rows = await db.all(
    sql`select "seq", "row", "doctype", "name", "action" from "_load_row"
        where "load" = ${load} and "seq" > ${page.after}${only} order by "seq" limit ${page.limit}`,
  );
  return rows as unknown as LoadedRecord[];
}
