import { deleteSecret, deleteSecrets, isMask, PASSWORD_MASK, writeSecret } from '../../access/secret.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import type { Change } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { rowsOf, scalarOf } from '../document.ts';
import { layoutOf } from '../layout.ts';

interface Holder {
  readonly doctype: DocType;
  readonly after: Document | ChildRow;
  readonly before: Document | ChildRow | null;
}

/**
 * Takes the clear text of Password fields out of the document: the columns get a mask, and the returned
 * function stores the secrets once names are final. Asterisks leave the stored secret unchanged, an empty
 * value removes it.
 */
export function storePasswords(ctx: Context, change: Change): () => Promise<void> {
  const later: (() => Promise<void>)[] = [];
  const changed: string[] = [];
  for (const { doctype, after, before } of holders(ctx, change)) {
    for (const { fieldname } of layoutOf(doctype).passwords) {
      const value = String(scalarOf(after, fieldname) ?? '');
      const stored = before ? scalarOf(before, fieldname) : null;
      if (!isMask(value) && (value !== '' || stored !== null)) {
        changed.push(doctype === change.doctype ? fieldname : `${doctype.name}.${fieldname}`);
      }
      if (isMask(value)) {
        after[fieldname] = stored;
      } else if (value === '') {
        after[fieldname] = null;
        if (stored !== null) later.push(() => deleteSecret(ctx.db, doctype.name, after.name, fieldname));
      } else {
        after[fieldname] = PASSWORD_MASK;
        later.push(() => writeSecret(ctx.site, ctx.db, doctype.name, after.name, fieldname, value));
      }
    }
  }
  change.secrets = [...(change.secrets ?? []), ...changed];
  return async () => {
    for (const write of later) await write();
  };
}

/** Removes the secrets of a document and its rows. */
export async function forgetPasswords(ctx: Context, change: Change): Promise<void> {
  for (const { doctype, after } of holders(ctx, change)) {
    if (layoutOf(doctype).passwords.length > 0) await deleteSecrets(ctx.db, doctype.name, after.name);
  }
}

function* holders(ctx: Context, change: Change): Generator<Holder> {
  const { doctype, doc, before } = change;
  yield { doctype, after: doc, before };
  for (const table of doctype.tables) {
    const child = ctx.doctypes.get(table.options);
    if (layoutOf(child).passwords.length === 0) continue;
    const stored = storedRows(before, table.fieldname);
    for (const row of rowsOf(doc, table.fieldname)) {
      yield { doctype: child, after: row, before: stored.get(row.name) ?? null };
    }
  }
}
