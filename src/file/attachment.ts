import { refusal, requirePermission } from '../access/permission.ts';
import { ident, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { absent } from '../document/load/permit.ts';
import { hasRightOn } from '../document/load/rights-on.ts';
import { lockClause } from '../document/lock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { mayWriteField } from './attached-field.ts';

/**
 * Checks that the user may attach a file to a document, and to the field where one is given. Returns the
 * doctype.
 * @throws ServiceError DoesNotExistError, PermissionError (also for a missing document when the right is
 * missing), ValidationError for a doctype without attachments, and for a field that does not exist or may not
 * be written
 */
export async function requireTarget(
  ctx: Context,
  doctypeName: string,
  name: string,
  field = '',
): Promise<DocType> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (doctype.istable || doctype.is_virtual || doctype.name === 'File') {
    throw new ServiceError('ValidationError', `Files cannot be attached to ${doctype.name}`);
  }
  requirePermission(ctx.user, doctype, 'write');
  if (!(await hasRightOn(ctx, doctype, name, 'write'))) {
    throw (await exists(ctx, doctype, name))
      ? refusal(doctype, 'write')
      : absent(ctx, doctype, name, 'write');
  }
  if (field !== '' && !mayWriteField(ctx.doctypes, ctx.user, doctype, field)) {
    throw new ServiceError(
      'ValidationError',
      `${doctype.name} has no field ${field.slice(0, 140)} that you may write`,
    );
  }
  return doctype;
}

/** Records about documents: they take their permission from those, which would be circular for a File. */
const RECORDS: ReadonlySet<string> = new Set([
  'File',
  'Comment',
  'Version',
  'Deleted Document',
  'Document Follow',
  'Notification Log',
]);

/** True when the permission of a document of this doctype decides about its attached files. */
export function carriesFiles(doctype: DocType): boolean {
  return !doctype.istable && !doctype.is_virtual && !RECORDS.has(doctype.name);
}

/** False also for a document or doctype that does not exist. */
export async function mayAccessTarget(
  ctx: Context,
  doctypeName: string,
  name: string,
  right: 'read' | 'write',
): Promise<boolean> {
  const doctype = ctx.doctypes.find(doctypeName);
  if (!doctype || !carriesFiles(doctype)) return false;
  return hasRightOn(ctx, doctype, name, right);
}

/** @throws ServiceError AttachmentLimitReached when the document has as many files as its doctype allows */
export async function requireRoom(ctx: Context, doctype: DocType, name: string): Promise<void> {
  if (doctype.max_attachments <= 0) return;
  // Concurrent attachments to the same document wait, and then count this file, too.
  const lock = lockClause(ctx.site.database.dialect, 'change');
  await ctx.db.get(sql`select name from ${ident(doctype.name)} where name = ${name}${lock}`);
  const row = await ctx.db.get(
    sql`select count(*) as files from "File"
      where attached_to_doctype = ${doctype.name} and attached_to_name = ${name}`,
  );
  if (Number(row?.files) >= doctype.max_attachments) {
    throw new ServiceError(
      'AttachmentLimitReached',
      `Maximum Attachment Limit of ${doctype.max_attachments} has been reached for ${doctype.name} ${name}`,
    );
  }
}

async function exists(ctx: Context, doctype: DocType, name: string): Promise<boolean> {
  const row = await ctx.db.get(sql`select 1 as found from ${ident(doctype.name)} where name = ${name}`);
  return row !== undefined;
}
