import { allows, reachOf, refusal } from '../access/permission.ts';
import { ident, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import type { Context } from '../document/context.ts';
import { ServiceError } from '../kernel/errors.ts';

/**
 * The doctype of the document that a file is to be attached to, once the user may write that document.
 * @throws ServiceError DoesNotExistError, PermissionError (also for a missing document when the right is missing),
 * ValidationError for what cannot carry attachments
 */
export async function requireTarget(ctx: Context, doctypeName: string, name: string): Promise<DocType> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.istable || doctype.is_virtual || doctype.name === 'File') {
    throw new ServiceError('ValidationError', `Files cannot be attached to ${doctype.name}`);
  }
  if (reachOf(ctx.user, doctype, 'write') === 'none') throw refusal(doctype, 'write');
  const owner = await ownerOf(ctx, doctype, name);
  if (owner === null) throw new ServiceError('DoesNotExistError', `${doctype.name} ${name} not found`);
  if (!allows(ctx.user, doctype, 'write', { owner })) throw refusal(doctype, 'write');
  return doctype;
}

/** False also for a document or doctype that does not exist (any more). */
export async function mayAccessTarget(
  ctx: Context,
  doctypeName: string,
  name: string,
  right: 'read' | 'write',
): Promise<boolean> {
  const doctype = ctx.doctypes.find(doctypeName);
  if (!doctype || doctype.istable || doctype.is_virtual || doctype.name === 'File') return false;
  if (reachOf(ctx.user, doctype, right) === 'none') return false;
  const owner = await ownerOf(ctx, doctype, name);
  return owner !== null && allows(ctx.user, doctype, right, { owner });
}

/** @throws ServiceError AttachmentLimitReached when the document has as many files as its doctype allows */
export async function requireRoom(ctx: Context, doctype: DocType, name: string): Promise<void> {
  if (doctype.max_attachments <= 0) return;
  const row = await ctx.db.get(
    sql`select count(*) as files from ${ident('File')}
      where attached_to_doctype = ${doctype.name} and attached_to_name = ${name}`,
  );
  if (Number(row?.files) >= doctype.max_attachments) {
    throw new ServiceError(
      'AttachmentLimitReached',
      `Maximum Attachment Limit of ${doctype.max_attachments} has been reached for ${doctype.name} ${name}`,
    );
  }
}

async function ownerOf(ctx: Context, doctype: DocType, name: string): Promise<string | null> {
  const row = await ctx.db.get(sql`select owner from ${ident(doctype.name)} where name = ${name}`);
  return row ? String(row.owner) : null;
}
