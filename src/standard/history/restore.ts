import { audit } from '../../access/audit.ts';
import { requirePermission } from '../../access/permission.ts';
import { isSystemManager } from '../../access/user.ts';
import { ident, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { nameKey, wireName } from '../../doctype/numbered.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import { timestamp } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { lockDocument, notFound } from '../../document/load/load.ts';
import { finishCreation, newChange } from '../../document/verbs/create.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { documentWith, isFree, placeUnder } from '../../document/verbs/recreate.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import { carriesHistory } from './carriers.ts';
import { commentAutomatically, escapeHtml } from './comment.ts';

/** The result of a restore. */
export interface Restored {
  readonly doctype: string;
  readonly name: string | number;
  /** Sentences for the user who restores the document. */
  readonly notes: readonly string[];
}

/** `chancery.restore_document {name, doc?}`: creates the document of a Deleted Document again. */
export const restoreMethod = defineMethod({
  http: ['POST', 'PUT'],
  description: 'Restore a deleted document',
  args: {
    name: { type: 'Data', required: true, description: 'Name of a Deleted Document' },
    doc: { type: 'JSON', description: 'Fields that replace the stored ones' },
    // In Frappe, controls whether a message is shown.
    alert: { type: 'JSON' },
  },
  run(ctx, { name, doc }) {
    const fields = doc ?? {};
    if (isRecord(fields)) return restoreDocument(ctx, name, fields);
    throw new ServiceError('ValidationError', 'Argument doc must be an object of fields');
  },
});

/**
 * Creates a deleted document again as a normal creation, in the name of the System Manager who restores it.
 * It gets its old name if that is free; a cancelled document becomes a draft. Its passwords, attachments,
 * comments and versions were deleted with it and are not restored. `fields` override the stored values, for
 * example to replace a broken link or to set a required password.
 * @throws ServiceError PermissionError, DoesNotExistError, ValidationError when it is restored already or its
 * doctype is gone, and as `createDocument`
 */
export async function restoreDocument(ctx: Context, name: string, fields: Fields = {}): Promise<Restored> {
  const records = ctx.doctypes.get('Deleted Document');
  if (!isSystemManager(ctx.user)) {
    throw new ServiceError('PermissionError', 'Only a System Manager may restore documents', {
      title: 'Not permitted',
    });
  }
  const record = (await lockDocument(ctx, records, name, 'change'))?.doc;
  if (!record) throw notFound(records, name);
  if (record['restored'] === 1) {
    throw new ServiceError('ValidationError', `Document ${record['deleted_name']} is already restored`);
  }
  const doctype = ctx.doctypes.find(String(record['deleted_doctype']));
  if (!doctype || !carriesHistory(doctype)) {
    throw new ServiceError('ValidationError', `The DocType ${record['deleted_doctype']} no longer exists`);
  }
  requirePermission(ctx.user, doctype, 'create');
  const kept: unknown = JSON.parse(String(record['data']));
  if (!isRecord(kept)) throw new Error(`the data of Deleted Document ${name} is no document`);
  const oldName = String(record['deleted_name']);
  const doc = documentWith(ctx, doctype, kept);
  placeUnder(doctype, doc, await nameFor(ctx, doctype, oldName));
  await finishCreation(ctx, newChange(doctype, doc, fields, true));
  await putSideColumns(ctx, doctype, doc.name, kept);
  await ctx.db.run(
    sql`update "Deleted Document" set "restored" = 1, "new_name" = ${doc.name}, "modified" = ${timestamp(ctx.site)},
        "modified_by" = ${ctx.user.name}, "_revision" = "_revision" + 1 where "name" = ${name}`,
  );
  const [was, is] = [oldName, doc.name].map((one) => `<strong>${escapeHtml(one)}</strong>`);
  const details = { deleted_document: name, old_name: oldName };
  await audit(ctx, { event: 'document_restored', doctype: doctype.name, name: doc.name, details });
  await commentAutomatically(ctx, doctype.name, doc.name, 'Edit', `restored ${was} as ${is}`);
  return {
    doctype: doctype.name,
    name: wireName(doctype, doc.name),
    notes: notesOn(kept, oldName, doc.name),
  };
}

async function nameFor(ctx: Context, doctype: DocType, oldName: string): Promise<string> {
  // The name of another time, when names were text.
  if (nameKey(doctype, oldName) === null) return '';
  if (doctype.issingle || (await isFree(ctx, doctype, oldName))) return oldName;
  if (!/^prompt$/i.test(doctype.autoname)) return '';
  // No user is present to choose another name.
  for (let number = 1; number <= LIMITS.seriesTries; number += 1) {
    const name = `${oldName}-${number}`;
    if (await isFree(ctx, doctype, name)) return name;
  }
  return oldName;
}

async function putSideColumns(
  ctx: Context,
  doctype: DocType,
  name: string,
  kept: Record<string, unknown>,
): Promise<void> {
  for (const { fieldname } of sideColumnsOf(doctype)) {
    const value = kept[fieldname];
    if (typeof value !== 'string') continue;
    await ctx.db.run(
      sql`update ${ident(doctype.name)} set ${ident(fieldname)} = ${value} where "name" = ${name}`,
    );
  }
}

function notesOn(kept: Record<string, unknown>, oldName: string, newName: string): string[] {
  const notes = ['Attachments, passwords, comments and versions of the document are not restored.'];
  if (oldName !== newName) notes.push(`The name ${oldName} is taken; the document is now ${newName}.`);
  if (kept['docstatus'] === 2) notes.push('The cancelled document is restored as a draft.');
  return notes;
}
