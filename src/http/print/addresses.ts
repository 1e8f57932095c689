import { defineAddress } from '../address/address.ts';
import { errors, PAGE, queryParameter } from '../address/operation.ts';

/** A document as a page for paper. */
export const PRINT_VIEW = defineAddress('/printview', 'permission', 'read', {
  tag: 'Documents',
  verbs: {
    GET: {
      id: 'printView',
      summary: 'Read a document as an HTML page for paper',
      description:
        'Requires the rights to read and to print the document. The page has no scripts, and a sandbox.',
      parameters: [
        { ...queryParameter('doctype'), required: true },
        queryParameter('name', 'Default, for a single doctype: its name.'),
        queryParameter('format', 'A Print Format; `Standard`: the layout of the form.'),
        queryParameter('letterhead', 'A Letter Head instead of the default one.'),
        queryParameter('no_letterhead', '1: without a letter head.', { enum: ['0', '1'], default: '0' }),
        queryParameter('_lang', 'The language of numbers and dates. Default: that of the user.'),
      ],
      replies: { ...PAGE, ...errors(403, 404, 417) },
    },
  },
});
