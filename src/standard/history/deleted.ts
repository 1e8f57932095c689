import { join, sql } from '../../db/sql.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { wireName } from '../../doctype/numbered.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import type { DocEvent } from '../../document/doc-event.ts';
import { rowsOf } from '../../document/document.ts';
import { layoutOf } from '../../document/layout.ts';
import { carriesHistory } from './carriers.ts';
import { type HistoryRecord, insertRecords } from './records.ts';

/** A File without its bytes, and a log of a one-time action, cannot be restored usefully. */
const NOT_KEPT: ReadonlySet<string> = new Set(['File', 'Patch Log']);

/** Names per statement. */
const BATCH = 256;

/**
 * Writes a Deleted Document for each deletion, and deletes the documents' versions and comments. Deleting a
 * DocType also deletes the remaining history of its documents, for example of a single.
 */
export async function recordDeletions(ctx: Context, events: readonly DocEvent[]): Promise<void> {
  const records = events.flatMap((event) => recordOf(ctx, event) ?? []);
  const kept = ctx.doctypes.find('Deleted Document');
  if (kept && records.length > 0) await insertRecords(ctx, kept, records);
  for (const [doctypeName, gone] of Map.groupBy(events, ({ doctype }) => doctype.name)) {
    const names = gone.map(({ doc }) => doc.name);
    for (let start = 0; start < names.length; start += BATCH) {
      await forget(ctx, doctypeName, names.slice(start, start + BATCH));
    }
    if (doctypeName === 'DocType') for (const name of names) await forget(ctx, name, null);
  }
}

function recordOf(ctx: Context, { doctype, doc }: DocEvent): HistoryRecord | null {
  const { history } = ctx.site.config;
  if (NOT_KEPT.has(doctype.name) || history.forgetDeleted.includes(doctype.name)) return null;
  const name = wireName(doctype, doc.name);
  const data = JSON.stringify({ ...withoutPasswords(ctx, doctype, doc), name });
  const fields = { deleted_doctype: doctype.name, deleted_name: doc.name, data };
  return { user: ctx.user.name, at: timestamp(ctx.site), fields };
}

function withoutPasswords(ctx: Context, doctype: DocType, doc: Document): Document {
  const copy: Document = { ...doc };
  for (const { fieldname } of layoutOf(doctype).passwords) delete copy[fieldname];
  for (const table of doctype.tables) {
    const { passwords } = layoutOf(ctx.doctypes.get(table.options));
    if (passwords.length === 0) continue;
    copy[table.fieldname] = rowsOf(doc, table.fieldname).map((row): ChildRow => {
      const kept = { ...row };
      for (const { fieldname } of passwords) delete kept[fieldname];
      return kept;
    });
  }
  return copy;
}

/** Null: all documents of the doctype. */
async function forget(ctx: Context, doctypeName: string, names: readonly string[] | null): Promise<void> {
  const meant = names && join(names.map((name) => sql`${name}`));
  const versions = meant ? sql` and "docname" in (${meant})` : sql``;
  const comments = meant ? sql` and "reference_name" in (${meant})` : sql``;
  await ctx.db.run(sql`delete from "Version" where "ref_doctype" = ${doctypeName}${versions}`);
  await ctx.db.run(sql`delete from "Comment" where "reference_doctype" = ${doctypeName}${comments}`);
}

/** True for events that `recordDeletions` handles. */
export function isDeletion({ name, doctype }: DocEvent): boolean {
  return name === 'on_trash' && carriesHistory(doctype);
}
