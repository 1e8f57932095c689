import { NAME_SCHEMA, nameIn, wireName } from '../doctype/numbered.ts';
import { findAmendment, maySeeAmendment } from '../document/check/amendment.ts';
import { LINK_EFFECTS } from '../document/list/referrers.ts';
import { amendDocument } from '../document/verbs/amend.ts';
import { linkedDocuments } from '../document/verbs/linked-documents.ts';
import { readDocument } from '../document/verbs/read.ts';
import { json, recordArgument, TEXT } from './arguments.ts';
import { CREATES } from './events.ts';
import { defineOperation, type Operation } from './operation.ts';
import { DOCUMENT, ROWS } from './result.ts';

/** Relations of a document: its amendments, and the documents that link to it. */
export const linkOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.amend_document',
    summary: 'Build the draft that amends a cancelled document; the fields of `doc` replace its own',
    effect: 'write',
    events: CREATES,
    args: { doctype: TEXT, name: TEXT, doc: json({ type: 'object' }) },
    result: DOCUMENT,
    run: (ctx, { doctype, name, doc }) =>
      amendDocument(ctx, doctype, name, doc === undefined ? {} : recordArgument({ doc }, 'doc')),
  }),

  defineOperation({
    name: 'frappe.client.is_document_amended',
    summary: 'Get the name of the amendment of a document; null if the caller may not read one',
    effect: 'read',
    args: { doctype: TEXT, docname: TEXT },
    result: { type: ['string', 'integer', 'null'] },
    run: async (ctx, { doctype: doctypeName, docname }) => {
      const doc = await readDocument(ctx, doctypeName, docname);
      const doctype = ctx.doctypes.get(doc.doctype);
      const amendment = await findAmendment(ctx, doctype, doc.name);
      if (amendment === null || !(await maySeeAmendment(ctx, doctype, amendment))) return null;
      return wireName(doctype, amendment);
    },
  }),

  defineOperation({
    name: 'chancery.linked_documents',
    summary:
      'Count and name the documents that link to a document, by doctype, and the effects of its deletion',
    effect: 'read',
    args: { doctype: TEXT, name: TEXT },
    result: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          count: { type: 'integer' },
          count_capped: { type: 'boolean' },
          names: { type: 'array', items: NAME_SCHEMA },
          effects: {
            type: 'array',
            items: { enum: LINK_EFFECTS },
            description: 'What a deletion does to each of `names`',
          },
        },
        required: ['count', 'names', 'effects'],
      },
    },
    run: async (ctx, { doctype: doctypeName, name }) => {
      const linked = await linkedDocuments(ctx, doctypeName, name);
      return Object.fromEntries(
        linked.map(({ doctype, count, isCapped, first }) => [
          doctype,
          {
            count,
            ...(isCapped && { count_capped: true }),
            names: first.map((row) => nameIn(ctx.doctypes, doctype, row.name)),
            effects: first.map((row) => row.effect),
          },
        ]),
      );
    },
  }),

  defineOperation({
    name: 'frappe.desk.form.linked_with.get',
    summary: 'List the documents that link to a document, by doctype',
    effect: 'read',
    args: { doctype: TEXT, docname: TEXT },
    result: { type: 'object', additionalProperties: ROWS },
    run: async (ctx, { doctype: doctypeName, docname }) => {
      const linked = await linkedDocuments(ctx, doctypeName, docname);
      const digits = ctx.site.settings.timestampPrecision === 'seconds' ? 19 : 26;
      return Object.fromEntries(
        linked.map(({ doctype, first }) => [
          doctype,
          first.map(({ effect: _, name, ...row }) => ({
            name: nameIn(ctx.doctypes, doctype, name),
            ...row,
            modified: row.modified.slice(0, digits),
          })),
        ]),
      );
    },
  }),
];
