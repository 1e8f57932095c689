import { allows } from '../../access/permission.ts';
import { ident, sql } from '../../db/sql.ts';
import { type DocType, type Document, RIGHTS, type Right } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Context } from '../contract.ts';
import { supportsRight } from '../virtual/virtual-doctype.ts';
import { load } from './load.ts';
import { isNarrowed, requireRight } from './permit.ts';

/** Every right of the user on a document, with the value 1 for those granted and supported by its doctype. */
export async function rightsOn(ctx: Context, doctype: DocType, doc: Document): Promise<Record<Right, 0 | 1>> {
  const rights = {} as Record<Right, 0 | 1>;
  for (const right of RIGHTS) {
    const has = supportsRight(ctx, doctype, right) && (await hasRight(ctx, doctype, right, doc));
    rights[right] = has ? 1 : 0;
  }
  return rights;
}

/**
 * True when the user has a right on the document of this name. Nobody has a right on a document that does not
 * exist.
 */
export async function hasRightOn(
  ctx: Context,
  doctype: DocType,
  name: string,
  right: Right,
): Promise<boolean> {
  if (!allows(ctx.user, doctype, right)) return false;
  if (!isNarrowed(ctx, doctype, right) && doctype.rowsFrom === 'table' && !doctype.issingle) {
    return (
      (await ctx.db.get(
        sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${nameKey(doctype, name.normalize('NFC'))}`,
      )) !== undefined
    );
  }
  const stored = await load(ctx, doctype, name);
  return stored !== null && hasRight(ctx, doctype, right, stored.doc);
}

/** True when the user has a right on a loaded document. */
export async function hasRight(
  ctx: Context,
  doctype: DocType,
  right: Right,
  doc: Document,
): Promise<boolean> {
  try {
    await requireRight(ctx, doctype, right, doc);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'PermissionError') return false;
    throw error;
  }
}
