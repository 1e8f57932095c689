import { readableFields } from '../../access/field-level.ts';
import { requireUnlimited } from '../../access/key-scope.ts';
import { loadSecret } from '../../access/secret.ts';
import { isSystemManager } from '../../access/user.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Context } from '../contract.ts';
import { readDocument } from './read.ts';

/**
 * The clear text of a Password field, for System Managers who may read the document and do not use a limited
 * key; null when none is stored. Never the secret of a webhook, which is shown only once.
 * @throws ServiceError PermissionError, DoesNotExistError, DataError for a field without a readable password
 */
export async function readPassword(
  ctx: Context,
  doctypeName: string,
  name: string,
  fieldname: string,
): Promise<string | null> {
  if (!isSystemManager(ctx.user)) {
    throw new ServiceError('PermissionError', 'Only a System Manager may read passwords', {
      title: 'Not permitted',
    });
  }
  // Otherwise a limited key could exceed its limits with the passwords that it reads.
  requireUnlimited(ctx.user);
  const doc = await readDocument(ctx, doctypeName, name);
  const doctype = ctx.doctypes.get(doc.doctype);
  const field = doctype.fieldByName.get(fieldname);
  const readable = readableFields(ctx.user, doctype);
  const isReadable = readable === 'all' || readable.has(fieldname);
  if (field?.fieldtype !== 'Password' || !isReadable || doctype.name === 'Webhook') {
    throw new ServiceError('DataError', `Field not permitted in query: ${fieldname.slice(0, 140)}`);
  }
  return loadSecret(ctx.site, ctx.db, doctype.name, doc.name, fieldname);
}
