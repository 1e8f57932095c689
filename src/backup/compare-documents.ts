import type { Connection, Row } from '../db/database.ts';
import { ident, join, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import type { Site } from '../document/contract.ts';
import { loadDoctypeVersion } from '../document/doctype-version.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Manifest } from './store/manifest.ts';

type LiveSite = Pick<Site, 'database' | 'doctypes'>;

/** Columns that change without a new `modified`: when the target of a link, a user or a file is renamed. */
const FOLLOWING: ReadonlySet<string> = new Set([
  ...['Link', 'Dynamic Link', 'Attach', 'Attach Image', 'Password', 'Table', 'Table MultiSelect'],
]);
const OF_TREES: ReadonlySet<string> = new Set(['lft', 'rgt', 'old_parent']);
const STEADY: readonly string[] = ['creation', 'docstatus'];

/**
 * Compares some documents of a restored database with those of the site, field by field: those that have not changed
 * since. Adds a line for each that differs; resolves to the number compared. After a change of doctypes nothing is
 * compared, as that changes values, too.
 */
export async function compareDocuments(
  restored: Connection,
  { database, doctypes }: LiveSite,
  { rows }: Manifest,
  problems: string[],
): Promise<number> {
  const live = database.reader;
  if ((await loadDoctypeVersion(restored)) !== (await loadDoctypeVersion(live))) return 0;
  let compared = 0;
  for (const doctype of doctypes.all()) {
    const count = rows[doctype.name] ?? 0;
    if (count === 0 || doctype.rowsFrom !== 'table' || doctype.istable || doctype.issingle) continue;
    compared += await compareSome(restored, live, doctype, count, problems);
  }
  return compared;
}

async function compareSome(
  restored: Connection,
  live: Connection,
  doctype: DocType,
  count: number,
  problems: string[],
): Promise<number> {
  const columns = columnsOf(doctype);
  const list = join(['name', 'modified', '_revision', ...columns].map(ident));
  const most = LIMITS.rehearsedDocuments;
  const start = Math.floor(Math.random() * Math.max(1, count - most + 1));
  const table = ident(doctype.name);
  const found = await restored.all(
    sql`select ${list} from ${table} order by "name" limit ${most} offset ${start}`,
  );
  if (found.length === 0) return 0;
  const names = join(found.map((row) => sql`${row['name'] ?? null}`));
  const present = await live.all(sql`select ${list} from ${table} where "name" in (${names})`);
  const byName = new Map(present.map((row) => [row['name'], row]));
  let compared = 0;
  for (const row of found) {
    const other = byName.get(row['name']);
    if (!other || other['modified'] !== row['modified'] || other['_revision'] !== row['_revision']) continue;
    compared += 1;
    const field = columns.find((column) => !isSame(row, other, column));
    if (field !== undefined) {
      problems.push(
        `${doctype.name} ${row['name']}: ${field} differs from the site, where nobody has changed it since`,
      );
    }
  }
  return compared;
}

function columnsOf({ columns, fieldByName }: DocType): string[] {
  return columns
    .map(({ fieldname }) => fieldname)
    .filter((name) => {
      const field = fieldByName.get(name);
      return field ? !FOLLOWING.has(field.fieldtype) && !OF_TREES.has(name) : STEADY.includes(name);
    });
}

function isSame(one: Row, other: Row, column: string): boolean {
  return Object.is(one[column], other[column]);
}
