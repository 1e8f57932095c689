import { ident } from '../../db/sql.ts';
import type { Controller } from '../../document/contract.ts';
import { mayReadReference, referenceFilter } from './reference.ts';

/** A version is readable with read permission for its document and its fields. Only saves write versions. */
export const versionController: Controller = {
  hasPermission: (ctx, doc, right) =>
    (right === 'read' || right === 'select') &&
    mayReadReference(ctx, String(doc['ref_doctype']), String(doc['docname']), {
      levels: String(doc['permlevels'] ?? ''),
      data: String(doc['data'] ?? ''),
    }),

  rowFilter: (ctx) =>
    referenceFilter(ctx, {
      type: ident('ref_doctype'),
      name: ident('docname'),
      levels: ident('permlevels'),
      data: ident('data'),
    }),
};
