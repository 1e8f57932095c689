import { mayLearn } from '../../access/field-level.ts';
import { ident, sql } from '../../db/sql.ts';
import type { DocField, DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Change } from '../change.ts';
import type { Context } from '../contract.ts';
import { scalarOf } from '../document.ts';
import { lockDocument } from '../load/load.ts';
import { requireRight } from '../load/permit.ts';
import { hasRightOn } from '../load/rights-on.ts';

/**
 * The document that a new one amends; null when it amends none. It must be cancelled, and all its other
 * amendments too. It stays locked, so that one of two concurrent amendments fails.
 * @throws ServiceError ValidationError "Amendment Not Allowed", PermissionError without the right to amend it
 */
export async function checkAmendment(ctx: Context, change: Change): Promise<Document | null> {
  const { doctype, doc } = change;
  const name = amendedName(doctype, doc);
  if (name === null) return null;
  const original = (await lockDocument(ctx, doctype, name, 'change'))?.doc;
  // A hook may have set it after the check of links.
  if (!original) throw refused(`${doctype.name} ${name} does not exist`);
  await requireRight(ctx, doctype, 'read', original);
  await requireRight(ctx, doctype, 'amend', original);
  if (original.docstatus !== 2) {
    throw refused(
      `${doctype.name} ${name} cannot be amended because it is not cancelled. Please cancel the document before creating an amendment.`,
    );
  }
  const other = await findAmendment(ctx, doctype, original.name);
  if (other !== null) {
    const by = (await maySeeAmendment(ctx, doctype, other)) ? ` by ${other}` : '';
    throw refused(`${doctype.name} ${name} is already amended${by}`);
  }
  return original;
}

/** The amendment of a document that is not cancelled itself, or null. Checks no permission. */
export async function findAmendment(ctx: Context, doctype: DocType, name: string): Promise<string | null> {
  if (!doctype.columnByName.has('amended_from') || doctype.rowsFrom === 'controller') return null;
  const row = await ctx.db.get(
    sql`select "name" from ${ident(doctype.name)}
        where "amended_from" = ${name} and "docstatus" <> ${2} order by "creation" limit 1`,
  );
  return row ? String(row['name']) : null;
}

/** Whether the user may learn that this document is an amendment. */
export async function maySeeAmendment(ctx: Context, doctype: DocType, name: string): Promise<boolean> {
  return mayLearn(ctx.user, doctype, 'amended_from') && hasRightOn(ctx, doctype, name, 'read');
}

/** True for the field in which documents of a doctype name the one they amend. */
export function isAmendedFrom(doctype: DocType, field: DocField): boolean {
  return doctype.is_submittable && field.fieldname === 'amended_from' && field.options === doctype.name;
}

/** The name of the amended document; null for none. */
export function amendedName(doctype: DocType, doc: Document): string | null {
  const field = doctype.is_submittable ? doctype.fieldByName.get('amended_from') : undefined;
  if (!field || !isAmendedFrom(doctype, field)) return null;
  const name = scalarOf(doc, 'amended_from');
  return typeof name === 'string' && name !== '' ? name : null;
}

function refused(message: string): ServiceError {
  return new ServiceError('ValidationError', message, { title: 'Amendment Not Allowed' });
}
