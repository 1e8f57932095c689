/** All fieldtypes of the server; one that is not among them is shown as text that cannot be changed. */
export type Fieldtype =
  | 'Attach'
  | 'Attach Image'
  | 'Autocomplete'
  | 'Barcode'
  | 'Button'
  | 'Check'
  | 'Code'
  | 'Color'
  | 'Column Break'
  | 'Currency'
  | 'Data'
  | 'Date'
  | 'Datetime'
  | 'Duration'
  | 'Dynamic Link'
  | 'Float'
  | 'Fold'
  | 'Geolocation'
  | 'HTML'
  | 'HTML Editor'
  | 'Heading'
  | 'Icon'
  | 'Image'
  | 'Int'
  | 'JSON'
  | 'Link'
  | 'Long Text'
  | 'Markdown Editor'
  | 'Password'
  | 'Percent'
  | 'Phone'
  | 'Rating'
  | 'Read Only'
  | 'Section Break'
  | 'Select'
  | 'Signature'
  | 'Small Text'
  | 'Tab Break'
  | 'Table'
  | 'Table MultiSelect'
  | 'Text'
  | 'Text Editor'
  | 'Time';

const LAYOUT = ['Section Break', 'Column Break', 'Tab Break', 'Fold', 'Heading', 'HTML', 'Button', 'Image'];
const TABLES = ['Table', 'Table MultiSelect'];
const NUMBERS = ['Int', 'Float', 'Currency', 'Percent', 'Duration', 'Rating'];
const LONG = [
  'Text',
  'Long Text',
  'Code',
  'Text Editor',
  'HTML Editor',
  'Markdown Editor',
  'JSON',
  'Geolocation',
  'Signature',
];

/** Arranges a form and has no value. */
export function isLayout(fieldtype: string): boolean {
  return LAYOUT.includes(fieldtype);
}

/** Its value is rows. */
export function isTable(fieldtype: string): boolean {
  return TABLES.includes(fieldtype);
}

/** Its value is a number, shown at the end of the line. */
export function isNumber(fieldtype: string): boolean {
  return NUMBERS.includes(fieldtype);
}

/** Its value may be long: no column of a list by itself. */
export function isLongText(fieldtype: string): boolean {
  return LONG.includes(fieldtype);
}

/** It can be a column, and be sorted and filtered by. */
export function isListable(fieldtype: string): boolean {
  return !isLayout(fieldtype) && !isTable(fieldtype) && fieldtype !== 'Password';
}
