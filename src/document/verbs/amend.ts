import { requirePermission } from '../../access/permission.ts';
import type { Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Context } from '../contract.ts';
import { load } from '../load/load.ts';
import { absent, requireRight, writableDoctype } from '../load/permit.ts';
import { copyDocument } from './copy.ts';
import { finishCreation, newChange } from './create.ts';

/**
 * Creates the draft that amends a cancelled document: a copy with `amended_from`, named `NAME-1`, `NAME-2`, …; the
 * fields sent win over the copied ones.
 * @throws ServiceError DoesNotExistError, ValidationError "Amendment Not Allowed" unless it is cancelled and
 * not amended yet, PermissionError without the rights to read and amend it and to create, and as
 * `createDocument`
 */
export async function amendDocument(
  ctx: Context,
  doctypeName: string,
  name: string,
  fields: Fields = {},
): Promise<Document> {
  const doctype = writableDoctype(ctx, doctypeName);
  if (!doctype.is_submittable) {
    throw new ServiceError('ValidationError', `${doctype.name} is not submittable`, {
      title: 'Amendment Not Allowed',
    });
  }
  requirePermission(ctx.user, doctype, 'create');
  requirePermission(ctx.user, doctype, 'amend');
  const original = await load(ctx, doctype, name);
  if (!original) throw absent(ctx, doctype, name, 'read');
  await requireRight(ctx, doctype, 'read', original.doc);
  const draft = copyDocument(ctx, doctype, original.doc);
  draft.amended_from = original.doc.name;
  const { name: _name, amended_from: _amended, ...others } = fields;
  return finishCreation(ctx, newChange(doctype, draft, others, true));
}
