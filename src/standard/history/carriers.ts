import type { DocType } from '../../doctype/doctype.ts';

/** Records about documents have no history themselves. */
const RECORDS: ReadonlySet<string> = new Set([
  'Comment',
  'Deleted Document',
  'Document Follow',
  'Notification Log',
  'Version',
]);

/** True for doctypes whose documents have comments, versions and Deleted Documents. */
export function carriesHistory(doctype: DocType): boolean {
  return !doctype.istable && !doctype.is_virtual && !RECORDS.has(doctype.name);
}
