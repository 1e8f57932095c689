import type { Document } from '../doctype/doctype.ts';
import type { Context } from '../document/contract.ts';
import { presentDocument } from '../document/load/present.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { ATTACHMENTS } from '../file/folder.ts';
import { bytesOfText } from '../file/sent-content.ts';
import { checkUpload, receiveContent, uploadFile } from '../file/upload-file.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type ArgumentValues, asSent, OPTIONAL_TEXT, required, TEXT } from './arguments.ts';
import { EDITS } from './events.ts';
import { type Call, defineOperation, type Operation } from './operation.ts';
import { DOCUMENT, JsonText } from './result.ts';

const BIT = { type: ['boolean', 'integer'] };

const ARGUMENTS = {
  filename: TEXT,
  filedata: required(asSent({ type: 'string' })),
  doctype: TEXT,
  docname: TEXT,
  docfield: OPTIONAL_TEXT,
  folder: OPTIONAL_TEXT,
  is_private: asSent(BIT),
  decode_base64: asSent(BIT),
};

/** Attaches a file that arrives as text. */
export const attachOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.client.attach_file',
    summary: 'Attach a file that is sent as text, and store its URL in the field `docfield` if given',
    effect: 'write',
    events: ['after_insert', ...EDITS],
    // The bytes are stored before the transaction, so that it does not wait for the disk.
    transaction: 'own',
    args: ARGUMENTS,
    result: DOCUMENT,
    run: attach,
  }),
];

async function attach(
  { user }: Context,
  args: ArgumentValues<typeof ARGUMENTS>,
  { site, once }: Call,
): Promise<JsonText> {
  const { doctype, docname, docfield, folder, is_private: isPrivate } = args;
  const fields = new Map([
    ['doctype', doctype],
    ['docname', docname],
  ]);
  if (isPrivate !== undefined && isPrivate !== null) {
    fields.set('is_private', String(typeof isPrivate === 'boolean' ? Number(isPrivate) : isPrivate));
  }
  // Unlike an upload, whose default is Home.
  fields.set('folder', folder || ATTACHMENTS);
  if (docfield !== undefined) fields.set('fieldname', docfield);
  await checkUpload(site, user, fields);
  const content = await receiveContent(site, bytesOf(args));

  const present = (doc: Document) => {
    const precision = site.settings.timestampPrecision;
    return JSON.stringify(presentDocument(site.doctypes, doc, { nulls: false, precision }));
  };
  const body = await uploadFile(site, { content, fileName: args.filename, fields }, (createFile) => {
    const work = async (ctx: Context) => {
      const file = await createFile(ctx);
      if (docfield !== undefined) {
        await updateDocument(ctx, doctype, docname, { [docfield]: file['file_url'] });
      }
      return file;
    };
    return once(work, present);
  });
  return new JsonText(body);
}

function bytesOf({ filedata, decode_base64: decode }: ArgumentValues<typeof ARGUMENTS>): Buffer {
  if (typeof filedata !== 'string')
    throw new ServiceError('ValidationError', 'Argument filedata must be text');
  return bytesOfText(filedata, decode);
}
