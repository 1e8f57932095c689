import type { DocType, Document } from '../../doctype/doctype.ts';

/**
 * Documents that act by themselves, with the field that stops them. A copy of a webhook would send what the live one
 * sends, and a copy of a user or client would give access that somebody has ended since.
 */
export const TURNED_OFF: ReadonlyMap<string, { readonly field: string; readonly off: 0 | 1 }> = new Map([
  ['Document Naming Rule', { field: 'disabled', off: 1 }],
  ['OAuth Client', { field: 'enabled', off: 0 }],
  ['Social Login Key', { field: 'enable_social_login', off: 0 }],
  ['User', { field: 'enabled', off: 0 }],
  ['Webhook', { field: 'enabled', off: 0 }],
]);

/** Turns a copy off that would act by itself. True when that is a change. */
export function turnOff(doctype: DocType, doc: Document): boolean {
  const how = TURNED_OFF.get(doctype.name);
  if (!how || doc[how.field] === how.off) return false;
  doc[how.field] = how.off;
  return true;
}
