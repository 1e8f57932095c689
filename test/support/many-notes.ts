import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';

/** A doctype of which `insertNotes` makes many documents. */
export const NOTE = {
  name: 'Note',
  autoname: 'hash',
  fields: [
    { fieldname: 'state', fieldtype: 'Select', options: 'Open\nDone', search_index: 1 },
    { fieldname: 'place', fieldtype: 'Int' },
  ],
};

/** Inserts notes n0, n1, …: a second apart, every second one open, and their number as `place`. */
export async function insertNotes(
  { dialect, transaction }: Database,
  from: number,
  to: number,
): Promise<void> {
  const isSqlite = dialect.name === 'sqlite';
  const numbers = isSqlite
    ? sql`with recursive s(i) as (select cast(${from} as integer) union all select i + 1 from s where i < ${to - 1})`
    : sql`with s as (select i from generate_series(${from}::int, ${to - 1}) as g(i))`;
  const stamp = isSqlite
    ? sql`datetime('2026-01-01', i || ' seconds') || '.000001'`
    : sql`timestamp '2026-01-01 00:00:00.000001' + i * interval '1 second'`;
  const insert = sql`insert into "Note" ("name", "creation", "modified", "state", "place") ${numbers}
    select 'n' || i, ${stamp}, ${stamp}, case when i % 2 = 0 then 'Open' else 'Done' end, i from s`;
  await transaction((connection) => connection.run(insert));
}
