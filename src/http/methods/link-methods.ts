import { amendDocument } from '../../document/amend.ts';
import { findAmendment, maySeeAmendment } from '../../document/check/amendment.ts';
import { linkedDocuments } from '../../document/linked-documents.ts';
import { readDocument } from '../../document/read.ts';
import { looseArgument, recordArgument, textArgument } from '../arguments.ts';
import { type BuiltIns, reading, writing } from './built-in.ts';

/** What a document has to do with others: amendments, and what links to it. */
export const linkMethods: BuiltIns = {
  /** The draft that amends a cancelled document: `doctype`, `name`, and `doc`, fields that differ from it. */
  'chancery.amend_document': writing(['POST', 'PUT'], (ctx, args) => {
    const doctypeName = textArgument(args, 'doctype');
    const fields = looseArgument(args, 'doc') === undefined ? {} : recordArgument(args, 'doc');
    return amendDocument(ctx, doctypeName, textArgument(args, 'name'), fields);
  }),

  /** The amendment of a document, when the caller may read it; else null. */
  'frappe.client.is_document_amended': reading(async (ctx, args) => {
    const doc = await readDocument(ctx, textArgument(args, 'doctype'), textArgument(args, 'docname'));
    const doctype = ctx.doctypes.get(doc.doctype);
    const amendment = await findAmendment(ctx, doctype, doc.name);
    return amendment !== null && (await maySeeAmendment(ctx, doctype, amendment)) ? amendment : null;
  }),

  /** What links to a document: `{<doctype>: {count, names}}`, and `count_capped` where there are more. */
  'chancery.linked_documents': reading(async (ctx, args) => {
    const linked = await linkedDocuments(ctx, textArgument(args, 'doctype'), textArgument(args, 'name'));
    return Object.fromEntries(
      linked.map(({ doctype, count, isCapped, first }) => [
        doctype,
        { count, ...(isCapped && { count_capped: true }), names: first.map(({ name }) => name) },
      ]),
    );
  }),

  /** The same in Frappe's shape: rows by doctype, without counts. */
  'frappe.desk.form.linked_with.get': reading(async (ctx, args) => {
    const linked = await linkedDocuments(ctx, textArgument(args, 'doctype'), textArgument(args, 'docname'));
    const digits = ctx.site.settings.timestampPrecision === 'seconds' ? 19 : 26;
    return Object.fromEntries(
      linked.map(({ doctype, first }) => [
        doctype,
        first.map((row) => ({ ...row, modified: row.modified.slice(0, digits) })),
      ]),
    );
  }),
};
