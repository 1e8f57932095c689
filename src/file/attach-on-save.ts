import { sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import type { Change } from '../document/change.ts';
import { asSystem } from '../document/context.ts';
import type { Context } from '../document/contract.ts';
import { textOf } from '../document/document.ts';
import { createDocument } from '../document/verbs/create.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { type HeldUrl, movedUrls } from './attach-fields.ts';
import { isOpenField, usualName } from './attached-field.ts';
import { filesOf, mayReadAny } from './file-access.ts';
import { ATTACHMENTS } from './folder.ts';
import { lockStoredFile } from './stored-file.ts';

/**
 * Attaches a File to the saved document for each url that the save put into its attach fields or those of its
 * rows. So users who may read the field may read the file, and it is deleted with the document. A File moves
 * along when its url moves to another field. An unknown url, or one whose bytes the user may not read, stays
 * plain text and grants nothing; the two cases look alike.
 * @throws ServiceError AttachmentLimitReached when the document has as many files as its doctype allows
 */
export async function attachOnSave(ctx: Context, { doctype, doc, before }: Change): Promise<void> {
  // Sorted, so that all transactions lock files in the same order.
  const moved = [...movedUrls(ctx, doctype, doc, before)].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [url, held] of moved) await attach(ctx, doctype, doc.name, url, held);
}

async function attach(
  ctx: Context,
  doctype: DocType,
  name: string,
  url: string,
  held: HeldUrl,
): Promise<void> {
  // From here on nobody else attaches or deletes a File of this url.
  if (!(await lockStoredFile(ctx.db, url))) return;
  const attached = (await ctx.db.all(
    sql`select name, owner, is_private, attached_to_doctype, attached_to_name, attached_to_field from "File"
      where file_url = ${url} and attached_to_doctype = ${doctype.name} and attached_to_name = ${name} order by name`,
  )) as Document[];
  const place = { attached_to_doctype: doctype.name, attached_to_name: name };
  const system = asSystem(ctx);
  const left = await leftBehind(ctx, doctype, attached, held);
  const free = [...left];
  const others = attached.filter((file) => !left.includes(file));
  const fields = left.length > 0 ? held.fields : held.gained;
  for (const attached_to_field of missingFields(ctx, doctype, others, fields)) {
    const file = free.shift() ?? others.find((one) => textOf(one, 'attached_to_field') === '');
    if (file) {
      await updateDocument(system, 'File', file.name, { attached_to_field });
      file['attached_to_field'] = attached_to_field;
      continue;
    }
    const files = await filesOf(ctx, url);
    // The user's own upload for this field. Another user's File stays theirs, and this field gets its own.
    const own = files.find((one) => one.owner === ctx.user.name && !one.attached_to_name);
    if (own && !ctx.user.isGuest) {
      await updateDocument(system, 'File', own.name, { ...place, attached_to_field });
    } else if (left.length > 0 || (await mayReadAny(ctx, files))) {
      await createDocument(system, 'File', {
        ...place,
        attached_to_field,
        file_url: url,
        folder: ATTACHMENTS,
      });
    }
  }
  const isOpen = (field: string) => isOpenField(ctx.doctypes, doctype, field);
  const attached_to_field = [...held.fields].find(isOpen) ?? [...held.fields][0];
  for (const { name: file } of free) await updateDocument(system, 'File', file, { attached_to_field });
}

/**
 * Files in fields that no longer hold the url: they move to the fields that hold it. A File that the user may
 * not read stays, because a field with more readers would disclose it.
 */
async function leftBehind(
  ctx: Context,
  doctype: DocType,
  attached: readonly Document[],
  { lost }: HeldUrl,
): Promise<readonly Document[]> {
  const left: Document[] = [];
  for (const file of attached) {
    const field = usualName(ctx.doctypes, doctype, textOf(file, 'attached_to_field'));
    if (lost.has(field) && (await mayReadAny(ctx, [file]))) left.push(file);
  }
  return left;
}

/**
 * The fields that need a File of their own. One File in a field that every reader of the document sees serves
 * all fields; each field above permlevel 0 has its own, which its readers may open.
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
