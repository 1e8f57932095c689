import type { Connection, Row } from '../db/database.ts';
import { EMPTY, join, type Sql, sql } from '../db/sql.ts';
import { textOrNull } from '../kernel/value.ts';
import { between, inOrder, type Position } from './position.ts';

/** A document's change, as the feed stores it. */
export interface NewChange {
  readonly doctype: string;
  readonly name: string;
  readonly event: string;
  /** The name before a rename; otherwise null. */
  readonly oldName: string | null;
  /** A timestamp in its stored form. */
  readonly modified: string;
  /** The JSON text of a deleted document; null when it is too large, and for every other event. */
  readonly snapshot: string | null;
}

export interface Change extends NewChange {
  readonly position: Position;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  /** `changes` is complete up to this position, and no change will be added before it. */
  readonly through: Position;
  /** More changes are readable now or very soon: changes of transactions that overlap with a running one. */
  readonly isMore: boolean;
}

/** Rows per statement: far fewer bound values than either engine's limit. */
const CHUNK = 100;

/** Inserts changes in the transaction that makes them. `now` as SQL. */
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

/** The position up to which the feed is complete. */
export async function loadHorizon(connection: Connection): Promise<Horizon> {
  if (connection.dialect.name === 'sqlite') {
    const row = await connection.get(
      sql`select coalesce((select "seq" from "sqlite_sequence" where "name" = '_change'), 0) as "id"`,
    );
    const through = { tx: 0, id: Number(row?.['id']) };
    return { through, newest: through };
  }
  // Transactions below the oldest running one have ended: all their rows are visible, and no more will come.
  const row = await connection.get(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "tx", (select max("tx") from "_change") as "newest"`,
  );
  const newest = row?.['newest'];
  return {
    through: { tx: Number(row?.['tx']), id: 0 },
    newest: typeof newest === 'number' ? { tx: newest, id: Number.MAX_SAFE_INTEGER } : null,
  };
}

/** At most `limit` changes after a position, oldest first. With `doctypes`, only theirs. */
export async function changesAfter(
  connection: Connection,
  from: Position,
  limit: number,
  doctypes: ReadonlySet<string> | null = null,
): Promise<ChangePage> {
  const { through, newest } = await loadHorizon(connection);
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
