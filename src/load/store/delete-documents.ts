import { dropCredentials } from '../../access/drop-credentials.ts';
import { deleteSecrets } from '../../access/secret.ts';
import { ident, join, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import type { Context } from '../../document/contract.ts';
import { layoutOf } from '../../document/layout.ts';
import type { LedgerEntry } from '../ledger.ts';
import { deleteRowsOf } from './write-documents.ts';

/** Deletes documents with their rows and secrets: no hooks, no check of links, no Deleted Document. */
export async function deleteDocuments(
  ctx: Context,
  doctype: DocType,
  entries: readonly Pick<LedgerEntry, 'name'>[],
): Promise<void> {
  if (entries.length === 0) return;
  const parents = join(entries.map(({ name }) => sql`${name}`));
  for (const { fieldname, options } of doctype.tables) {
    const child = ctx.doctypes.get(options);
    if (layoutOf(child).passwords.length > 0) {
      await ctx.db.run(
        sql`delete from "_secret" where "doctype" = ${options} and "name" in (select "name" from ${ident(options)}
            where "parent" in (${parents}) and "parenttype" = ${doctype.name} and "parentfield" = ${fieldname})`,
      );
    }
    await deleteRowsOf(ctx, doctype, child, fieldname, entries);
  }
  if (layoutOf(doctype).passwords.length > 0) {
    for (const { name } of entries) await deleteSecrets(ctx.db, doctype.name, name);
  }
  if (doctype.name === 'User') for (const { name } of entries) await dropCredentials(ctx.db, name);
  const names = join(entries.map(({ name }) => sql`${nameKey(doctype, name)}`));
  await ctx.db.run(sql`delete from ${ident(doctype.name)} where "name" in (${names})`);
}
