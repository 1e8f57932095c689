import type { DocType } from '../doctype/doctype.ts';
import type { Site } from '../document/contract.ts';
import { memo } from '../kernel/memo.ts';
import { isRecord } from '../kernel/value.ts';

/** True when documents of this doctype may show a key, secret or token. */
export function keepsSecrets(site: Site, doctype: unknown): boolean {
  const found = typeof doctype === 'string' ? site.doctypes.find(doctype) : undefined;
  return found !== undefined && hasPassword(found);
}

const hasPassword = memo((doctype: DocType): boolean =>
  doctype.fields.some(({ fieldtype }) => fieldtype === 'Password'),
);

/** True when a result is such a document, or a list with one. */
export function showsSecrets(site: Site, result: unknown): boolean {
  return [result].flat().some((one) => isRecord(one) && keepsSecrets(site, one['doctype']));
}
