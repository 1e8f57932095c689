import type { Document } from '../doctype/doctype.ts';
import { unzipFile } from '../file/unzip.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type DeclaredArgument, FLAG, TEXT } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { presentResult } from './present-result.ts';
import { JsonText, ROWS } from './result.ts';

/** A flag that refuses every value but true and false. */
const STRICT_FLAG: DeclaredArgument<boolean> = {
  ...FLAG,
  parse(given, name) {
    const value = given[name];
    if (value === undefined || value === null || value === '') return false;
    if (value === true || value === 1 || value === '1' || value === 'true') return true;
    if (value === false || value === 0 || value === '0' || value === 'false') return false;
    throw new ServiceError('ValidationError', `Argument ${name} must be 0 or 1`);
  },
};

/** Replaces a zip by its files. */
export const unzipOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.core.api.file.unzip_file',
    summary: 'Unpack a zip, and delete it',
    effect: 'write',
    events: ['after_insert', 'on_change', 'on_trash'],
    // The files are stored before the transaction, so that it does not wait for the disk.
    transaction: 'own',
    args: { name: TEXT, keep_folders: STRICT_FLAG },
    result: ROWS,
    async run(ctx, { name, keep_folders }, { site, once }) {
      const present = (files: Document[]) => JSON.stringify(presentResult(site, files));
      return new JsonText(await unzipFile(site, ctx.user, name, keep_folders, (work) => once(work, present)));
    },
  }),
];
