import { ident } from '../../db/sql.ts';
import type { Controller } from '../../document/controller.ts';
import { mayReadReference, referenceFilter } from './reference.ts';

/** Versions are read by whoever may read their document and the fields they are about, and written by saves alone. */
export const versionController: Controller = {
  hasPermission: (ctx, doc, right) =>
    (right === 'read' || right === 'select') &&
    mayReadReference(
      ctx,
      String(doc['ref_doctype']),
      String(doc['docname']),
      String(doc['permlevels'] ?? ''),
    ),

  rowFilter: (ctx) =>
    referenceFilter(ctx, { type: ident('ref_doctype'), name: ident('docname'), levels: ident('permlevels') }),
};
