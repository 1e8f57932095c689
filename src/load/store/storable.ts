import type { DocType } from '../../doctype/doctype.ts';
import type { CacheKind, Context } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';

/** Definitions, which change tables: another way brings them in (`chancery doctypes load`, `chancery import`). */
export const DEFINITIONS: ReadonlySet<string> = new Set([
  'DocType',
  'DocField',
  'DocPerm',
  'Custom Field',
  'Custom DocPerm',
  'Property Setter',
]);

/** Who may do what, which every process keeps. */
const ACCESS: ReadonlySet<string> = new Set([
  'User',
  'Has Role',
  'Role',
  'Role Profile',
  'API Key',
  'OAuth Client',
  'Social Login Key',
  'System Settings',
  'User Permission',
  'DocShare',
]);

/** Built-in doctypes that a System Manager may load on a server: their controllers guard nothing. */
const HARMLESS: ReadonlySet<string> = new Set(['Comment']);

/** Records of what this site has done, which nobody writes. */
export const OWN: ReadonlySet<string> = new Set(['Data Load', 'Audit Log', 'Backup Run', 'Patch Log']);

/**
 * The doctype of a record, if the loading operation stores such records.
 * @throws ServiceError with the reason that it does not
 */
export function storableDoctype(ctx: Context, name: string, isCommandLine: boolean): DocType {
  const doctype = ctx.doctypes.find(name);
  if (!doctype) throw new ServiceError('DoesNotExistError', `DocType ${name} not found`);
  if (DEFINITIONS.has(name)) throw refusal(`${name}: definitions come before all documents`);
  if (OWN.has(name)) throw refusal(`${name}: the site itself writes these documents`);
  if (doctype.rowsFrom !== 'table') throw refusal(`${name}: its documents are not in a table of their own`);
  // Users, keys, webhooks, files: no hook checks what a load stores.
  if (doctype.app === 'standard' && !HARMLESS.has(name) && !isCommandLine) {
    throw refusal(`${name}: only Administrator on the command line loads documents of built-in doctypes`);
  }
  return doctype;
}

function refusal(message: string): ServiceError {
  return new ServiceError('PermissionError', message);
}

/** What each process keeps of documents of this doctype, and has to read again. */
export function cachesOf(doctype: DocType): CacheKind | null {
  if (ACCESS.has(doctype.name)) return doctype.name === 'System Settings' ? 'definitions' : 'users';
  return doctype.name.startsWith('Document Naming Rule') ? 'naming rules' : null;
}
