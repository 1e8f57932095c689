/** All fieldtypes of the server. Any other fieldtype is shown as read-only text. */
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

/** True for layout fieldtypes, which have no value. */
export function isLayout(fieldtype: string): boolean {
  return LAYOUT.includes(fieldtype);
}

/** True if the value is an array of rows. */
export function isTable(fieldtype: string): boolean {
  return TABLES.includes(fieldtype);
}

/** True if the value is a number, which is aligned to the end. */
export function isNumber(fieldtype: string): boolean {
  return NUMBERS.includes(fieldtype);
}

/** True for long text, which is not a list column by default. */
export function isLongText(fieldtype: string): boolean {
  return LONG.includes(fieldtype);
}

/** True if lists can show, sort and filter by it. */
export function isListable(fieldtype: string): boolean {
  return !isLayout(fieldtype) && !isTable(fieldtype) && fieldtype !== 'Password';
}
