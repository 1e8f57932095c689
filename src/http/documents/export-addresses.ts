import { FORMATS } from '../../exchange/line.ts';
import { alsoAt, defineAddress } from '../address/address.ts';
import { errors, queryParameter, ref } from '../address/operation.ts';

/** A list as a file. */
export const EXPORT = defineAddress('/api/method/chancery.export', 'permission', 'list', {
  tag: 'Documents',
  verbs: {
    GET: {
      id: 'exportList',
      summary: 'Download the documents of a list as a file',
      description:
        'Requires the right to export. The file has all documents that match, and an import reads it. Texts of CSV that a spreadsheet would run as formulas begin with an apostrophe.',
      parameters: [
        { ...queryParameter('doctype'), required: true },
        queryParameter('format', 'The format of the file.', { enum: FORMATS, default: 'csv' }),
        queryParameter(
          'fields',
          'Columns, separated by commas: `customer`, `items.qty`, or `items` for all of a table. Default: all.',
        ),
        ...['filters', 'or_filters', 'order_by'].map((name) => ref('parameters', `list.${name}`)),
        queryParameter('heads', 'What heads of CSV and XLSX are.', {
          enum: ['names', 'labels'],
          default: 'names',
        }),
      ],
      replies: {
        '200': { description: 'The file', content: { '*/*': {} } },
        ...errors(403, 404, 417),
      },
    },
  },
});
/** The rows of an import that failed. */
export const IMPORT_REPORT = defineAddress('/api/method/chancery.import.report', 'user', 'list', {
  tag: 'Documents',
  verbs: {
    GET: {
      id: 'importReport',
      summary: 'Download the rows that an import could not store, as CSV with the reasons',
      description: 'Corrected, the file can be imported again: its last column is left out.',
      parameters: [{ ...queryParameter('name', 'The name of the Data Load.'), required: true }],
      replies: {
        '200': { description: 'The rows', content: { 'text/csv': {} } },
        ...errors(403, 404, 417),
      },
    },
  },
});
export const IMPORT_REPORT_V2 = alsoAt(IMPORT_REPORT, '/api/v2/method/chancery.import.report');
export const EXPORT_V2 = alsoAt(EXPORT, '/api/v2/method/chancery.export');
