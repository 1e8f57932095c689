import { sendOrRun } from '../../db/database.ts';
import { ident, join, type Sql, type SqlValue, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import { newDocument, scalarOf } from '../../document/document.ts';
import { layoutOf } from '../../document/layout.ts';
import { statementText, withValues } from '../../document/statements.ts';
import { memo } from '../../kernel/memo.ts';
import { followingHash, type Random } from '../../kernel/random.ts';
import type { FieldValue } from '../../kernel/value.ts';

/** A row about a document, written by the system. */
export interface HistoryRecord {
  /** The user and time of the action; the time in its stored form. */
  readonly user: string;
  readonly at: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/** Rows per statement. */
const BATCH = 64;
const NAME = 10;

/**
 * Inserts records below the document pipeline: without hooks, events and permission checks. They result from
 * other changes and cost one row each. Resolves to their documents.
 */
export async function insertRecords(
  ctx: Context,
  doctype: DocType,
  records: readonly HistoryRecord[],
): Promise<Document[]> {
  const inserted: Document[] = [];
  const { columns } = layoutOf(doctype);
  for (let start = 0; start < records.length; ) {
    // Powers of two, so that a few statement texts cover every number of rows.
    const size = Math.min(BATCH, 2 ** Math.floor(Math.log2(records.length - start)));
    const text = statementText(doctype, ctx.db.dialect, `records ${size}`, () => {
      const row: Sql = sql`(${join(columns.map(() => sql`${null}`))})`;
      const rows = Array.from({ length: size }, () => row);
      return sql`insert into ${ident(doctype.name)} (${join(columns.map(ident))}) values ${join(rows)}`;
    });
    const values: SqlValue[] = [];
    for (const { user, at, fields } of records.slice(start, start + size)) {
      const doc = Object.assign(newDocument(doctype), fields, {
        name: nextName(ctx.site.random),
        owner: user,
        creation: at,
        modified: at,
        modified_by: user,
      });
      inserted.push(doc);
      for (const column of columns) values.push(scalarOf(doc, column));
    }
    await sendOrRun(ctx.db, withValues(text, values));
    start += size;
  }
  return inserted;
}

// Records lie together in the index of names. Random names would each change a page of it.
function nextName(random: Random): string {
  const last = latest(random);
  last.name = last.name === '' ? random.hash(NAME) : followingHash(last.name);
  return last.name;
}

const latest = memo((_: Random) => ({ name: '' }));
