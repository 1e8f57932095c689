import { ident, sql } from '../db/sql.ts';
import type { Change } from '../document/change.ts';
import { asSystem, type Context } from '../document/context.ts';
import { createDocument } from '../document/create.ts';
import { updateDocument } from '../document/update.ts';
import { newlyAttached } from './attach-fields.ts';
import { filesOf, mayReadAny } from './file-access.ts';
import { ATTACHMENTS } from './folder.ts';
import { lockStoredFile } from './stored-file.ts';

/**
 * Sees to it that a File attached to the saved document stands behind each url that the save put into its attach fields,
 * or into those of its rows, so that whoever may read the document may read the file, and that it goes with it. A url that
 * means nothing, or bytes that the user may not read, stays a text and gives nobody anything: one cannot be told from the
 * other.
 * @throws ServiceError AttachmentLimitReached when the document has as many files as its doctype allows
 */
export async function attachOnSave(ctx: Context, { doctype, doc, before }: Change): Promise<void> {
  // Everybody locks files in the same order, whichever field they are in.
  const attached = [...newlyAttached(ctx, doctype, doc, before)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  for (const [url, field] of attached) {
    const place = {
      attached_to_doctype: doctype.name,
      attached_to_name: doc.name,
      attached_to_field: field,
    };
    await attach(ctx, url, place);
  }
}

interface AttachedTo {
  readonly attached_to_doctype: string;
  readonly attached_to_name: string;
  readonly attached_to_field: string;
}

async function attach(ctx: Context, url: string, place: AttachedTo): Promise<void> {
  // From here on nobody else attaches or deletes a File of this url.
  if (!(await lockStoredFile(ctx.db, url))) return;
  const attached = await ctx.db.get(
    sql`select name, attached_to_field from ${ident('File')} where file_url = ${url}
      and attached_to_doctype = ${place.attached_to_doctype} and attached_to_name = ${place.attached_to_name}
      order by attached_to_field limit 1`,
  );
  const system = asSystem(ctx);
  if (attached) {
    if (attached.attached_to_field) return;
    const { attached_to_field } = place;
    await updateDocument(system, 'File', String(attached.name), { attached_to_field });
    return;
  }
  const files = await filesOf(ctx, url);
  // What they uploaded for this: that of others stays theirs, and a File of its own stands beside it.
  const own = files.find((file) => file.owner === ctx.user.name && !file.attached_to_name);
  if (own && !ctx.user.isGuest) {
    await updateDocument(system, 'File', own.name, { ...place });
    return;
  }
  if (!(await mayReadAny(ctx, files))) return;
  await createDocument(system, 'File', { ...place, file_url: url, folder: ATTACHMENTS });
}
