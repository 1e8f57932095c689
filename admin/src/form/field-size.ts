import { isTable } from '../meta/fieldtypes.ts';

/** Width of a field: `short` for dates and numbers, `line` for a line of text, `table`, `wide` for the rest. */
export type FieldSize = 'short' | 'line' | 'wide' | 'table';

const SHORT = [
  'Check',
  'Color',
  'Currency',
  'Date',
  'Datetime',
  'Duration',
  'Float',
  'Int',
  'Percent',
  'Phone',
  'Rating',
  'Select',
  'Time',
];
const LINE = [
  'Attach',
  'Autocomplete',
  'Barcode',
  'Data',
  'Dynamic Link',
  'Icon',
  'Link',
  'Password',
  'Read Only',
  'Table MultiSelect',
];

/** The width of a field. A title is the longest of the lines, and the first that one reads. */
export function sizeOfField(fieldname: string, fieldtype: string, titleField: unknown): FieldSize {
  return fieldtype === 'Data' && fieldname === titleField ? 'wide' : sizeOf(fieldtype);
}

function sizeOf(fieldtype: string): FieldSize {
  if (SHORT.includes(fieldtype)) return 'short';
  if (LINE.includes(fieldtype)) return 'line';
  return isTable(fieldtype) ? 'table' : 'wide';
}
