import type { ChildRow, Document } from '../../doctype/doctype.ts';
import type { ErrorPlace } from '../../kernel/errors.ts';

/** The place of a field in a document or in one of its rows. */
export function placeOf(holder: Document | ChildRow, fieldname: string): ErrorPlace {
  if (!('parentfield' in holder)) return { fieldname };
  return { fieldname, table: String(holder.parentfield), row: Number(holder.idx) };
}
