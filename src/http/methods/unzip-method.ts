import type { Document } from '../../doctype/doctype.ts';
import { unzipFile } from '../../file/unzip.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Arguments, textArgument } from '../arguments.ts';
import { Answer, doOnce } from '../once.ts';
import { presentResult } from '../present-result.ts';
import { JsonText } from '../reply.ts';
import type { BuiltIns } from './built-in.ts';

/** Replaces a zip by the files in it. */
export const unzipMethods: BuiltIns = {
  /** The File documents made. */
  'frappe.core.api.file.unzip_file': {
    http: ['POST', 'PUT'],
    allowGuest: false,
    // The files are stored before the transaction, which waits for no disk.
    context: 'read',
    async run(_ctx, args, { site, request, reply }) {
      const present = (files: Document[]) => new Answer(JSON.stringify(presentResult(site, files)));
      const name = textArgument(args, 'name');
      const answer = await unzipFile(site, request.user, name, flagArgument(args, 'keep_folders'), (work) =>
        doOnce(site, request, reply, work, present),
      );
      return new JsonText(answer.body);
    },
  },
};

function flagArgument(args: Arguments, name: string): boolean {
  const value = args[name];
  if (value === undefined || value === null || value === '') return false;
  if (value === true || value === 1 || value === '1' || value === 'true') return true;
  if (value === false || value === 0 || value === '0' || value === 'false') return false;
  throw new ServiceError('ValidationError', `Argument ${name} must be 0 or 1`);
}
