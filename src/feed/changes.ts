import type { Connection, Row } from '../db/database.ts';
import { EMPTY, join, type Sql, sql } from '../db/sql.ts';
import { between, inOrder, type Position } from './position.ts';

/** What happened to a document, as the feed keeps it. */
export interface NewChange {
  readonly doctype: string;
  readonly name: string;
  readonly event: string;
  /** Before a rename; else null. */
  readonly oldName: string | null;
  /** Stored form of a timestamp. */
  readonly modified: string;
  /** JSON text of a deleted document, null where it is too large; null for every other event. */
  readonly snapshot: string | null;
}

export interface Change extends NewChange {
  readonly position: Position;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  /** Nothing up to here is missing from `changes`, and nothing up to here will ever be added. */
  readonly through: Position;
  /** More can be read at once, or very soon: of transactions that overlap with one that still runs. */
  readonly isMore: boolean;
}

/** Rows per statement: keeps the number of bound values far below what either engine takes. */
const CHUNK = 100;

/** Writes changes in the transaction that makes them. `now` as SQL. */
export async function insertChanges(
  connection: Connection,
  changes: readonly NewChange[],
  now: Sql,
): Promise<void> {
  for (let start = 0; start < changes.length; start += CHUNK) {
    const rows = changes
      .slice(start, start + CHUNK)
      .map(
        (one) =>
          sql`(${one.doctype}, ${one.name}, ${one.event}, ${one.oldName}, ${one.modified}, ${one.snapshot}, ${now})`,
      );
    await connection.run(
      sql`insert into "_change" ("doctype", "name", "event", "old_name", "modified", "snapshot", "created_at")
          values ${join(rows)}`,
    );
  }
}

interface Horizon {
  readonly through: Position;
  readonly newest: Position | null;
}

/** How far the feed can be read now: what committed up to here is all there is. */
export async function readHorizon(connection: Connection): Promise<Horizon> {
  if (connection.dialect.name === 'sqlite') {
    const row = await connection.get(
      sql`select coalesce((select "seq" from "sqlite_sequence" where "name" = '_change'), 0) as "id"`,
    );
    const through = { tx: 0, id: Number(row?.['id']) };
    return { through, newest: through };
  }
  // Transactions below the oldest running one are over: their rows are all visible, and there will be no more of them.
  const row = await connection.get(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "tx", (select max("tx") from "_change") as "newest"`,
  );
  const newest = row?.['newest'];
  return {
    through: { tx: Number(row?.['tx']), id: 0 },
    newest: typeof newest === 'number' ? { tx: newest, id: Number.MAX_SAFE_INTEGER } : null,
  };
}

/** Changes after a position, oldest first, at most `limit`; of `doctypes` when they are given. */
export async function changesAfter(
  connection: Connection,
  from: Position,
  limit: number,
  doctypes: ReadonlySet<string> | null = null,
): Promise<ChangePage> {
  const { through, newest } = await readHorizon(connection);
  if (newest === null || newest.tx < from.tx || (newest.tx === from.tx && newest.id <= from.id)) {
    return { changes: [], through: later(from, through), isMore: false };
  }
  const { dialect } = connection;
  const some =
    doctypes === null ? EMPTY : sql` and "doctype" in (${join([...doctypes].map((name) => sql`${name}`))})`;
  const rows = await connection.all(
    sql`select "tx", "id", "doctype", "name", "event", "old_name", "modified", "snapshot" from "_change"
        where ${between(dialect, from, through)}${some} ${inOrder(dialect)} limit ${limit}`,
  );
  const changes = rows.map(changeOf);
  const last = changes.at(-1);
  if (last && changes.length === limit) return { changes, through: last.position, isMore: true };
  return { changes, through: later(from, through), isMore: newest.tx > through.tx };
}

function later(a: Position, b: Position): Position {
  return a.tx > b.tx || (a.tx === b.tx && a.id > b.id) ? a : b;
}

function changeOf(row: Row): Change {
  return {
    position: { tx: Number(row['tx']), id: Number(row['id']) },
    doctype: String(row['doctype']),
    name: String(row['name']),
    event: String(row['event']),
    oldName: textOrNull(row['old_name']),
    modified: String(row['modified']),
    snapshot: textOrNull(row['snapshot']),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
