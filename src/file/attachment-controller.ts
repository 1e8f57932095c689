import { sql } from '../db/sql.ts';
import { amendedName } from '../document/check/amendment.ts';
import { asSystem } from '../document/context.ts';
import type { Controller } from '../document/contract.ts';
import { createDocument } from '../document/verbs/create.ts';
import { deleteDocument } from '../document/verbs/delete.ts';
import { attachOnSave } from './attach-on-save.ts';

/**
 * For every doctype (`*`): attached files are deleted with their document, whoever owns them; an amendment
 * gets the files of its original; a save attaches the files in its attach fields.
 */
export const attachmentController: Controller = {
  async afterInsert(doc, ctx, change) {
    const amended = amendedName(change.doctype, doc);
    if (amended === null) return;
    const files = await ctx.db.all(
      sql`select file_name, file_url, folder, is_private, attached_to_field from "File"
        where attached_to_doctype = ${doc.doctype} and attached_to_name = ${amended} order by creation, name`,
    );
    for (const file of files) {
      const attached = { attached_to_doctype: doc.doctype, attached_to_name: doc.name };
      await createDocument(asSystem(ctx), 'File', { ...file, ...attached });
    }
  },

  onUpdate: (_doc, ctx, change) => attachOnSave(ctx, change),
  onUpdateAfterSubmit: (_doc, ctx, change) => attachOnSave(ctx, change),

  async afterDelete(doc, ctx, change) {
    if (doc.doctype === 'File' || change.doctype.istable) return;
    const files = await ctx.db.all(
      sql`select name from "File"
        where attached_to_doctype = ${doc.doctype} and attached_to_name = ${doc.name} order by file_url`,
    );
    for (const file of files) await deleteDocument(asSystem(ctx), 'File', String(file.name));
  },
};
