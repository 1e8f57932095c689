import { Readable } from 'node:stream';
import type { Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/context.ts';
import { presentDocument } from '../../document/present.ts';
import { updateDocument } from '../../document/update.ts';
import { bytesOfText } from '../../file/sent-content.ts';
import { checkUpload, receiveContent, uploadFile } from '../../file/upload-file.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Arguments, optionalText, textArgument } from '../arguments.ts';
import { Answer, doOnce } from '../once.ts';
import { JsonText } from '../reply.ts';
import type { BuiltIns, Call } from './built-in.ts';

/** A file in a JSON body, attached to a document, and with `docfield` put into a field of it in the same transaction. */
export const attachMethods: BuiltIns = {
  'frappe.client.attach_file': {
    http: ['POST', 'PUT'],
    allowGuest: false,
    // The bytes are stored before the transaction, which waits for no disk.
    context: 'read',
    run: (_ctx, args, call) => attach(args, call),
  },
};

async function attach(args: Arguments, { site, request, reply }: Call): Promise<JsonText> {
  const doctype = textArgument(args, 'doctype');
  const docname = textArgument(args, 'docname');
  const docfield = optionalText(args, 'docfield');
  const fileName = textArgument(args, 'filename');
  const fields = new Map([
    ['doctype', doctype],
    ['docname', docname],
  ]);
  const isPrivate = args.is_private;
  if (isPrivate !== undefined && isPrivate !== null) {
    fields.set('is_private', String(typeof isPrivate === 'boolean' ? Number(isPrivate) : isPrivate));
  }
  const folder = optionalText(args, 'folder');
  if (folder !== undefined) fields.set('folder', folder);
  if (docfield !== undefined) fields.set('fieldname', docfield);
  await checkUpload(site, request.user, fields);
  const content = await receiveContent(site, Readable.from([bytesOf(args)]));

  const present = (doc: Document) => {
    const precision = site.settings.timestampPrecision;
    return new Answer(JSON.stringify(presentDocument(site.doctypes, doc, { nulls: false, precision })));
  };
  const answer = await uploadFile(site, { content, fileName, fields }, (createFile) => {
    const work = async (ctx: Context) => {
      const file = await createFile(ctx);
      if (docfield !== undefined) {
        await updateDocument(ctx, doctype, docname, { [docfield]: file['file_url'] });
      }
      return file;
    };
    return doOnce(site, request, reply, work, present);
  });
  return new JsonText(answer.body);
}

function bytesOf({ filedata, decode_base64: decode }: Arguments): Buffer {
  if (typeof filedata !== 'string')
    throw new ServiceError('ValidationError', 'Argument filedata must be text');
  return bytesOfText(filedata, decode);
}
