import type { Connection, Row } from '../db/database.ts';
import type { Dialect } from '../db/dialect.ts';
import { join, type Sql, type SqlValue, sql } from '../db/sql.ts';
import type { KeyedRecord } from './record.ts';

/** An applied record, as the ledger keeps it. */
export interface LedgerEntry {
  readonly doctype: string;
  readonly key: string;
  readonly seq: number;
  /** The row of the source; 0 when unknown. */
  readonly row: number;
  readonly hash: string;
  /**
   * `kept`: an undo has left its document as it is. `added`: no record, but a comment, file or share that a hook has
   * added to the document of one, and that goes with it.
   */
  readonly action: 'inserted' | 'updated' | 'unchanged' | 'skipped' | 'kept' | 'added';
  /** The document's name; '' for a skipped record. */
  readonly name: string;
  /** Of the document after the load; 0 for a row of a child doctype. */
  readonly revision: number;
  /**
   * Of the document after the load: tells it from a later one of its name. Null for a row of a child doctype, and in
   * entries of earlier versions.
   */
  readonly creation: string | null;
  /** JSON of the document before the load; null for a new one. */
  readonly before: string | null;
}

/** What the ledger knows of a record. */
export type KnownRecord = Omit<LedgerEntry, 'doctype' | 'key' | 'seq'>;

/** What tells whether a document has changed, or was made anew. */
export type Version = Pick<LedgerEntry, 'revision' | 'creation'>;

/** Of a row with `revision` and `creation`. */
export function versionOf({ revision, creation = null }: Row): Version {
  return { revision: Number(revision), creation: creation === null ? null : String(creation) };
}

/** True for a document that is as the load has left it. */
export function isAsLeft(entry: Version, now: Version): boolean {
  return now.revision === entry.revision && (entry.creation === null || entry.creation === now.creation);
}

/** What tells whether an undo leaves the document of an entry. */
export type UndoEntry = Pick<LedgerEntry, 'doctype' | 'key' | 'seq' | 'row' | 'action' | 'name'>;

/** Names an entry within its load. */
export function entryKey({ doctype, key }: Pick<LedgerEntry, 'doctype' | 'key'>): string {
  return `${doctype}\n${key}`;
}

/** Rows of one statement: eleven values each, and SQLite binds 32,766. */
const BATCH = 512;

/** The entries of these records, by `entryKey`. In the transaction that stores them, it decides. */
export async function knownKeys(
  db: Connection,
  load: string,
  records: readonly Pick<KeyedRecord, 'doctype' | 'key'>[],
): Promise<Map<string, KnownRecord>> {
  const known = new Map<string, KnownRecord>();
  for (const [doctype, keys] of byDoctype(records)) {
    for (let start = 0; start < keys.length; start += BATCH) {
      const some = keys.slice(start, start + BATCH).map((key) => sql`${key}`);
      const rows = await db.all(
        sql`select "key", "row", "hash", "action", "name", "revision", "creation", "before" from "_load_row"
            where "load" = ${load} and "doctype" = ${doctype} and "key" in (${join(some)})`,
      );
      for (const row of rows) {
        known.set(entryKey({ doctype, key: String(row['key']) }), {
          row: Number(row['row']),
          hash: String(row['hash']),
          action: String(row['action']) as LedgerEntry['action'],
          name: String(row['name']),
          ...versionOf(row),
          before: row['before'] === null ? null : String(row['before']),
        });
      }
    }
  }
  return known;
}

/**
 * Writes entries, in the transaction that stores their documents. A record that is applied again with other content
 * keeps its first `before`, and stays `inserted` if it was: an undo goes back to before the load. Resolves to the
 * number of entries that were not there with this content.
 */
export async function writeLedger(
  db: Connection,
  load: string,
  entries: readonly LedgerEntry[],
): Promise<number> {
  let written = 0;
  for (let start = 0; start < entries.length; start += BATCH) {
    const rows = entries.slice(start, start + BATCH).map((entry) => {
      const { doctype, key, seq, row, hash, action, name, revision, creation, before } = entry;
      const of: SqlValue[] = [load, doctype, key, seq, row, hash];
      const values: SqlValue[] = [...of, action, name, revision, creation, before];
      return sql`(${join(values.map((value) => sql`${value}`))})`;
    });
    written += await db.run(
      sql`insert into "_load_row" ("load", "doctype", "key", "seq", "row", "hash", "action", "name", "revision",
            "creation", "before")
          values ${join(rows)}
          on conflict ("load", "doctype", "key") do update set "hash" = excluded."hash", "row" = excluded."row",
            "revision" = excluded."revision", "creation" = excluded."creation", "name" = excluded."name",
            "before" = case when "_load_row"."action" in ('inserted', 'updated') then "_load_row"."before"
              else excluded."before" end,
            "action" = case when "_load_row"."action" in ('inserted', 'updated') then "_load_row"."action"
              else excluded."action" end
          where "_load_row"."hash" <> excluded."hash"`,
    );
  }
  return written;
}

/** An entry that an undo has not looked at yet. */
const OPEN = sql`"action" not in ('kept', 'added')`;

/** The last entries that an undo has not looked at yet, the last one first: all, or those of updated documents. */
export async function lastEntries(
  db: Connection,
  load: string,
  which: 'updated' | 'all',
  most: number,
): Promise<LedgerEntry[]> {
  const rows = await db.all(
    sql`select "doctype", "key", "seq", "row", "hash", "action", "name", "revision", "creation", "before" from "_load_row"
        where "load" = ${load} and ${which === 'all' ? OPEN : sql`"action" = ${which}`} order by "seq" desc limit ${most}`,
  );
  return rows as unknown as LedgerEntry[];
}

/**
 * The ledger, to find entries by the names of documents. Without the hint, SQLite reads all entries of a doctype: the
 * primary key seems as selective to it.
 */
export function ledgerByName({ name }: Dialect): Sql {
  return name === 'sqlite' ? sql`"_load_row" as "l" indexed by "_ix_load_row_name"` : sql`"_load_row" as "l"`;
}

/** Entries after this number that no undo has looked at, or that one has kept. */
export async function pageOfEntries(
  db: Connection,
  load: string,
  which: 'open' | 'kept',
  seq: number,
  most: number,
): Promise<UndoEntry[]> {
  const rows = await db.all(
    sql`select "doctype", "key", "seq", "row", "action", "name" from "_load_row"
        where "load" = ${load} and ${which === 'open' ? OPEN : sql`"action" = 'kept'`} and "seq" > ${seq}
        order by "seq" limit ${most}`,
  );
  return rows as unknown as UndoEntry[];
}

/** Adds to the revisions of all entries of a document, when the undo of its last one has changed it. */
export async function raiseRevisions(
  db: Connection,
  load: string,
  { doctype, name }: Pick<LedgerEntry, 'doctype' | 'name'>,
  by: number,
): Promise<void> {
  const named = sql`"l"."load" = ${load} and "l"."doctype" = ${doctype} and "l"."name" = ${name}`;
  await db.run(
    sql`update "_load_row" set "revision" = "revision" + ${by} where "load" = ${load} and "doctype" = ${doctype}
        and "key" in (select "l"."key" from ${ledgerByName(db.dialect)} where ${named})`,
  );
}

/** Removes entries, in the transaction that undoes them. */
export async function forgetEntries(
  db: Connection,
  load: string,
  entries: readonly Pick<LedgerEntry, 'doctype' | 'key'>[],
): Promise<void> {
  await changeEntries(db, load, entries, sql`delete from "_load_row"`);
}

/** Marks entries that an undo leaves as they are. */
export async function keepEntries(
  db: Connection,
  load: string,
  entries: readonly Pick<LedgerEntry, 'doctype' | 'key'>[],
): Promise<void> {
  await changeEntries(db, load, entries, sql`update "_load_row" set "action" = 'kept'`);
}

async function changeEntries(
  db: Connection,
  load: string,
  entries: readonly Pick<LedgerEntry, 'doctype' | 'key'>[],
  change: Sql,
): Promise<void> {
  for (const [doctype, keys] of byDoctype(entries)) {
    const some = join(keys.map((key) => sql`${key}`));
    await db.run(sql`${change} where "load" = ${load} and "doctype" = ${doctype} and "key" in (${some})`);
  }
}

/** The number of entries of records by action. */
export async function countEntries(db: Connection, load: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all(
    sql`select "action", count(*) as "count" from "_load_row"
        where "load" = ${load} and "action" <> 'added' group by "action"`,
  );
  return new Map(rows.map((row) => [String(row['action']), Number(row['count'])]));
}

function byDoctype(
  records: readonly Pick<LedgerEntry, 'doctype' | 'key'>[],
): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const { doctype, key } of records) {
    const of = keys.get(doctype);
    if (of) of.push(key);
    else keys.set(doctype, [key]);
  }
  return keys;
}
