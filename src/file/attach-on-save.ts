import { ident, sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import type { Change } from '../document/change.ts';
import { asSystem, type Context } from '../document/context.ts';
import { createDocument } from '../document/create.ts';
import { textOf } from '../document/document.ts';
import { updateDocument } from '../document/update.ts';
import { newlyAttached } from './attach-fields.ts';
import { isOpenField } from './attached-field.ts';
import { filesOf, mayReadAny } from './file-access.ts';
import { ATTACHMENTS } from './folder.ts';
import { lockStoredFile } from './stored-file.ts';

/**
 * Sees to it that a File attached to the saved document stands behind each url that the save put into its attach fields,
 * or into those of its rows, so that whoever may read the field may read the file, and that it goes with the document. A
 * url that means nothing, or bytes that the user may not read, stays a text and gives nobody anything: one cannot be told
 * from the other.
 * @throws ServiceError AttachmentLimitReached when the document has as many files as its doctype allows
 */
export async function attachOnSave(ctx: Context, { doctype, doc, before }: Change): Promise<void> {
  // Everybody locks files in the same order, whichever field they are in.
  const attached = [...newlyAttached(ctx, doctype, doc, before)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  for (const [url, fields] of attached) await attach(ctx, doctype, doc.name, url, fields);
}

async function attach(
  ctx: Context,
  doctype: DocType,
  name: string,
  url: string,
  fields: ReadonlySet<string>,
): Promise<void> {
  // From here on nobody else attaches or deletes a File of this url.
  if (!(await lockStoredFile(ctx.db, url))) return;
  const attached = (await ctx.db.all(
    sql`select name, attached_to_field from ${ident('File')} where file_url = ${url}
      and attached_to_doctype = ${doctype.name} and attached_to_name = ${name} order by name`,
  )) as Document[];
  const place = { attached_to_doctype: doctype.name, attached_to_name: name };
  const system = asSystem(ctx);
  for (const attached_to_field of missingFields(ctx, doctype, attached, fields)) {
    const whole = attached.find((file) => textOf(file, 'attached_to_field') === '');
    if (whole) {
      await updateDocument(system, 'File', whole.name, { attached_to_field });
      whole['attached_to_field'] = attached_to_field;
      continue;
    }
    const files = await filesOf(ctx, url);
    // What they uploaded for this: that of others stays theirs, and a File of its own stands beside it.
    const own = files.find((file) => file.owner === ctx.user.name && !file.attached_to_name);
    if (own && !ctx.user.isGuest) {
      await updateDocument(system, 'File', own.name, { ...place, attached_to_field });
    } else if (await mayReadAny(ctx, files)) {
      await createDocument(system, 'File', {
        ...place,
        attached_to_field,
        file_url: url,
        folder: ATTACHMENTS,
      });
    }
  }
}

/**
 * The fields that need a File of their own. One File in a field that every reader of the document sees serves all fields;
 * fields above permlevel 0 have one each, which their readers may open.
 */
function missingFields(
  ctx: Context,
  doctype: DocType,
  attached: readonly Document[],
  fields: ReadonlySet<string>,
): readonly string[] {
  const known = new Set(attached.map((file) => textOf(file, 'attached_to_field')));
  const isOpen = (field: string) => isOpenField(ctx.doctypes, doctype, field);
  if ([...known].some(isOpen)) return [];
  const open = [...fields].find(isOpen);
  return open === undefined ? [...fields].filter((field) => !known.has(field)) : [open];
}
