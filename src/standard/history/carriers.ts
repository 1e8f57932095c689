import type { DocType } from '../../doctype/doctype.ts';

/** Records about documents: they have no history themselves. */
const RECORDS: ReadonlySet<string> = new Set(['Comment', 'Deleted Document', 'Version']);

/** True for doctypes whose documents can be commented on, and have their changes and deletions recorded. */
export function carriesHistory(doctype: DocType): boolean {
  return !doctype.istable && !doctype.is_virtual && !RECORDS.has(doctype.name);
}
