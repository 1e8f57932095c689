import type { ChildRow, Document } from '../../doctype/doctype.ts';
import type { ErrorPlace } from '../../kernel/errors.ts';

/** Where in a document a field of it, or of one of its rows, is. */
export function placeOf(holder: Document | ChildRow, fieldname: string): ErrorPlace {
  if (!('parentfield' in holder)) return { fieldname };
  return { fieldname, table: String(holder.parentfield), row: Number(holder.idx) };
}
