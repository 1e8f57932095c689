import type { Document } from '../doctype/doctype.ts';
import { asSystem } from '../document/context.ts';
import type { Context } from '../document/contract.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { filesOf } from '../file/file-access.ts';

/**
 * Puts an uploaded file into a field of a document that the server writes. An upload of the user that is attached to
 * nothing is attached, so that it goes with the document; otherwise the document gets a File of its own.
 */
export async function attachUpload(
  ctx: Context,
  { doctype, name }: Pick<Document, 'doctype' | 'name'>,
  fieldname: string,
  url: string,
): Promise<void> {
  const system = asSystem(ctx);
  const own = (await filesOf(ctx, url)).find(
    ({ owner, attached_to_name: to }) => owner === ctx.user.name && !to,
  );
  if (own) {
    const place = { attached_to_doctype: doctype, attached_to_name: name, attached_to_field: fieldname };
    await updateDocument(system, 'File', own.name, place);
  }
  await updateDocument(system, doctype, name, { [fieldname]: url });
}
