import type { Connection } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';
import type { LedgerEntry } from './ledger.ts';

/** The outcomes of records in the ledger; those that failed are in the log. */
export const RECORDED = ['inserted', 'updated', 'unchanged', 'skipped', 'kept'] as const;

/** What became of a record of a load, in the ledger. */
export interface LoadedRecord extends Pick<LedgerEntry, 'seq' | 'row' | 'doctype' | 'name'> {
  readonly action: (typeof RECORDED)[number];
}

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
  const actions = page.action === undefined ? RECORDED : [page.action];
  const rows = await db.all(
    sql`select "seq", "row", "doctype", "name", "action" from "_load_row"
        where "load" = ${load} and "seq" > ${page.after}
        and "action" in (${join(actions.map((action) => sql`${action}`))}) order by "seq" limit ${page.limit}`,
  );
  return rows as unknown as LoadedRecord[];
}
