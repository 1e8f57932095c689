import { sendOrRun } from '../../db/database.ts';
import { EMPTY, ident, join, type Sql, type SqlValue, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import { placeChildren } from '../children.ts';
import type { Context } from '../contract.ts';
import { scalarOf } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { CHOSEN, type Naming } from '../naming/naming.ts';
import { statementText, withValues } from '../statements.ts';
import { deleteChildren, insertChildren, replaceChildren } from './child-rows.ts';
import { forgetPasswords, storePasswords } from './passwords.ts';
import { placeInTree } from './tree.ts';
import { labelUnique } from './unique.ts';
import { writeVirtual } from './write-virtual.ts';

/**
 * Writes a new document and its rows. When a generated name is taken, the next one is tried; hooks that ran
 * before saw the first name. Only a renamed document, or a chance of one in 10^15, causes that.
 * @throws ServiceError DuplicateEntryError, UniqueValidationError
 */
export async function insertRows(ctx: Context, change: Change, naming: Naming): Promise<void> {
  const { doctype, doc } = change;
  if (doctype.rowsFrom === 'controller') return writeVirtual(ctx, change, 'create');
  await placeInTree(ctx, change);
  const storeSecrets = storePasswords(ctx, change);
  for (let tries = 1; !(await insertRow(ctx, doctype, doc, naming)); tries += 1) {
    if (tries >= naming.tries) {
      throw new ServiceError('DuplicateEntryError', `${doctype.name} ${doc.name} already exists`, {
        title: 'Duplicate Name',
      });
    }
    await naming.again();
    placeChildren(ctx, change);
  }
  await insertChildren(ctx, change);
  await storeSecrets();
}

/** False when the name is taken. */
async function insertRow(ctx: Context, doctype: DocType, doc: Document, naming: Naming): Promise<boolean> {
  const { columns } = layoutOf(doctype);
  const values = columns.map((column) => scalarOf(doc, column));
  const insert = (key: string, otherwise: Sql) => {
    const text = statementText(doctype, ctx.db.dialect, key, () => {
      const holes: Sql[] = columns.map(() => sql`${null}`);
      return sql`insert into ${ident(doctype.name)} (${join(columns.map(ident))}) values (${join(holes)})${otherwise}`;
    });
    return withValues(text, values);
  };
  // A number is almost never taken, and its counter is locked.
  if (naming.isCounted && ctx.db.send?.(insert('insert or fail', EMPTY))) return true;
  const inserted = await labelUnique(doctype, () => ctx.db.run(insert('insert', UNLESS_TAKEN)));
  return inserted === 1;
}

const UNLESS_TAKEN = sql`
      on conflict ("name") do nothing`;

/** Writes the changes of a stored document and its rows, and increments its revision. */
export async function updateRows(ctx: Context, change: Change): Promise<void> {
  // The first save of a single inserts its row.
  if (change.revision === 0) return insertRows(ctx, change, CHOSEN);
  const { doctype, doc, before } = change;
  if (doctype.rowsFrom === 'controller') return writeVirtual(ctx, change, 'update');
  await placeInTree(ctx, change);
  const storeSecrets = storePasswords(ctx, change);
  const columns = layoutOf(doctype).columns.filter(
    (column) => column !== 'name' && (!before || doc[column] !== before[column]),
  );
  const text = statementText(doctype, ctx.db.dialect, `update ${columns.join()}`, () => {
    const sets = columns.map((column) => sql`${ident(column)} = ${null}`);
    return sql`update ${ident(doctype.name)} set ${join(sets)}, "_revision" = "_revision" + 1 where "name" = ${null}`;
  });
  const values: SqlValue[] = columns.map((column) => scalarOf(doc, column));
  values.push(doc.name);
  // `lockDocument` has locked the row.
  await labelUnique(doctype, () => sendOrRun(ctx.db, withValues(text, values)));
  await replaceChildren(ctx, change);
  await storeSecrets();
}

/** Removes a document with its rows and secrets. */
export async function deleteRows(ctx: Context, change: Change): Promise<void> {
  const { doctype, doc } = change;
  if (doctype.rowsFrom === 'controller') return writeVirtual(ctx, change, 'delete');
  await forgetPasswords(ctx, change);
  for (const table of doctype.tables) await deleteChildren(ctx, ctx.doctypes.get(table.options), doc, table);
  await ctx.db.run(sql`delete from ${ident(doctype.name)} where "name" = ${doc.name}`);
}
