import { printDocument } from '../print/print-document.ts';
import { PRINT_STYLE } from '../print/style.ts';
import { FLAG, OPTIONAL_TEXT, TEXT } from './arguments.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object } from './result.ts';

const text = { type: 'string' } as const;

/** Documents as HTML for paper; `/printview` serves the same as a page. */
export const printOperations: readonly Operation[] = [
  defineOperation({
    name: 'frappe.www.printview.get_html_and_style',
    summary: 'Read a document as HTML for paper, with its styles',
    effect: 'read',
    args: {
      doc: { ...TEXT, schema: { ...text, description: 'The doctype of the document' } },
      name: OPTIONAL_TEXT,
      print_format: OPTIONAL_TEXT,
      letterhead: OPTIONAL_TEXT,
      no_letterhead: FLAG,
      _lang: OPTIONAL_TEXT,
    },
    result: object({ html: text, style: text }),
    run: async (ctx, { doc, name = doc, print_format, letterhead, no_letterhead, _lang }) => {
      const { body } = await printDocument(ctx, {
        doctype: doc,
        name,
        format: print_format,
        letterhead,
        withoutLetterhead: no_letterhead,
        language: _lang,
      });
      return { html: body.text, style: PRINT_STYLE };
    },
  }),
];
