import { refusal, requirePermission } from '../access/permission.ts';
import { ident, sql } from '../db/sql.ts';
import type { DocType } from '../doctype/doctype.ts';
import type { Context } from '../document/context.ts';
import { lockClause } from '../document/lock.ts';
import { absent } from '../document/permit.ts';
import { hasRightOn } from '../document/rights-on.ts';
import { ServiceError } from '../kernel/errors.ts';
import { mayWriteField } from './attached-field.ts';

/**
 * The doctype of the document that a file is to be attached to, once the user may write that document, and the field
 * where one is named.
 * @throws ServiceError DoesNotExistError, PermissionError (also for a missing document when the right is missing),
 * ValidationError for what cannot carry attachments, and for a field that is not there or not to be written
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

/** Records about documents: theirs is the permission of those, which would run in circles where that is a File. */
const RECORDS: ReadonlySet<string> = new Set(['File', 'Comment', 'Version', 'Deleted Document']);

/** True when the permission of a document of the doctype decides about the files attached to it. */
export function carriesFiles(doctype: DocType): boolean {
  return !doctype.istable && !doctype.is_virtual && !RECORDS.has(doctype.name);
}

/** False also for a document or doctype that does not exist (any more). */
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
  // Who attaches to the same document at the same time waits, and then counts this file, too.
  const lock = lockClause(ctx.site.database.dialect, 'change');
  await ctx.db.get(sql`select name from ${ident(doctype.name)} where name = ${name}${lock}`);
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

async function exists(ctx: Context, doctype: DocType, name: string): Promise<boolean> {
  const row = await ctx.db.get(sql`select 1 as found from ${ident(doctype.name)} where name = ${name}`);
  return row !== undefined;
}
