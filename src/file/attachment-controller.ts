import { ident, sql } from '../db/sql.ts';
import { asSystem } from '../document/context.ts';
import type { Controller } from '../document/controller.ts';
import { deleteDocument } from '../document/delete.ts';

/** For every doctype (`*`): the files attached to a document go with it, whoever owns them. */
export const attachmentController: Controller = {
  async afterDelete(doc, ctx, change) {
    if (doc.doctype === 'File' || change.doctype.istable) return;
    const files = await ctx.db.all(
      sql`select name from ${ident('File')}
        where attached_to_doctype = ${doc.doctype} and attached_to_name = ${doc.name}`,
    );
    for (const file of files) await deleteDocument(asSystem(ctx), 'File', String(file.name));
  },
};
