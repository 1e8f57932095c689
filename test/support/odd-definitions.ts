/** Definitions that Frappe accepts and that a single POST is refused: one for each cause, and their combinations. */

type Definition = Readonly<Record<string, unknown>> & { readonly name: string };

/** What is odd about a definition. */
export interface Oddity {
  readonly title: string;
  /** More of the definition. */
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly fields?: readonly Readonly<Record<string, unknown>>[];
  readonly permissions?: readonly Readonly<Record<string, unknown>>[];
  readonly problem: RegExp;
  /** What becomes of it in a note. */
  readonly effect: string;
  /** Values that its documents store although the definition is odd. */
  readonly stores?: Readonly<Record<string, unknown>>;
}

const data = (fieldname: string, more: object = {}) => ({ fieldname, fieldtype: 'Data', ...more });
const link = (fieldname: string, options: string) => ({ fieldname, fieldtype: 'Link', options });

/** Every cause by itself. No two of them have a field in common, so that any can be combined. */
export const ODDITIES: readonly Oddity[] = [
  {
    title: 'a Link to a child table',
    fields: [link('to_row', 'Odd Row')],
    problem: /Field to_row: Odd Row is a child table and cannot be linked to/,
    effect: 'it holds text',
    stores: { to_row: 'no such row' },
  },
  {
    title: 'a Link to a doctype that is not installed',
    fields: [link('to_nothing', 'Not Installed'), data('of_nothing', { fetch_from: 'to_nothing.title' })],
    problem: /Field to_nothing: there is no DocType Not Installed/,
    effect: 'it holds text',
    stores: { to_nothing: 'free text', of_nothing: 'kept' },
  },
  {
    title: 'a Link without options',
    fields: [{ fieldname: 'to_blank', fieldtype: 'Link' }],
    problem: /Field to_blank: options are required for Link/,
    effect: 'it holds text',
    stores: { to_blank: 'free text' },
  },
  {
    title: 'a Dynamic Link without its field',
    fields: [{ fieldname: 'to_any', fieldtype: 'Dynamic Link', options: 'no_such_field' }],
    problem: /Field to_any: options must name the field that holds the doctype/,
    effect: 'it holds text',
    stores: { to_any: 'free text' },
  },
  {
    title: 'a table of a doctype that is not installed',
    fields: [{ fieldname: 'lost_rows', fieldtype: 'Table', options: 'Not Installed Row' }],
    problem: /Field lost_rows: there is no DocType Not Installed Row/,
    effect: 'the field is left out',
  },
  {
    title: 'mandatory_depends_on of an unknown field',
    fields: [data('needed', { mandatory_depends_on: 'eval:doc.nowhere != 7' })],
    problem: /Field needed: mandatory_depends_on: there is no field nowhere/,
    effect: 'it is ignored',
  },
  {
    title: 'mandatory_depends_on that is code',
    fields: [data('coded', { mandatory_depends_on: 'eval:cur_frm.is_new()' })],
    problem: /Field coded: mandatory_depends_on: .*/,
    effect: 'it is ignored',
  },
  {
    title: 'on_delete of a field that is no Link',
    fields: [data('no_link', { on_delete: 'cascade' })],
    problem: /Field no_link: a Data has no on_delete/,
    effect: 'block applies',
    stores: { no_link: 'kept' },
  },
  {
    title: 'fetch_from without a link',
    fields: [data('fetched_plain', { fetch_from: 'title' })],
    problem: /Field fetched_plain: fetch_from must be link_field\.source_field/,
    effect: 'nothing is fetched',
    stores: { fetched_plain: 'kept' },
  },
  {
    title: 'fetch_from with an empty link',
    fields: [data('fetched_empty', { fetch_from: '.title' })],
    problem: /Field fetched_empty: fetch_from must be .*/,
    effect: 'nothing is fetched',
    stores: { fetched_empty: 'kept' },
  },
  {
    title: 'fetch_from through a field that is not a Link',
    fields: [data('fetched_data', { fetch_from: 'title.title' })],
    problem: /Field fetched_data: fetch_from: title is not a Link field of .*/,
    effect: 'nothing is fetched',
    stores: { fetched_data: 'kept' },
  },
  {
    title: 'a fieldname that begins with a digit',
    fields: [data('2nd_choice')],
    problem: /Field 2nd_choice: fieldname .* must be letters.*/,
    effect: 'the field works, but no expression can name it',
    stores: { '2nd_choice': 'tea' },
  },
  {
    title: 'a fieldname that begins with _',
    fields: [data('_private')],
    problem: /Field _private: fieldname .* must be letters.*/,
    effect: 'the field works, but no expression can name it',
    stores: { _private: 'yes' },
  },
  {
    title: 'search_index on a layout field',
    fields: [{ fieldname: 'a_break', fieldtype: 'Column Break', search_index: 1 }],
    problem: /Field a_break: a Column Break cannot be indexed/,
    effect: 'search_index is ignored',
  },
  {
    title: 'search_index on a long text',
    fields: [{ fieldname: 'essay', fieldtype: 'Long Text', search_index: 1 }],
    problem: /Field essay: a Long Text cannot be indexed/,
    effect: 'search_index is ignored',
    stores: { essay: 'once upon a time' },
  },
  {
    title: 'a bare word as autoname',
    properties: { autoname: 'some_word' },
    problem: /autoname .*some_word.* is not a known form/,
    effect: 'documents get random names',
  },
  {
    title: 'a field called idx',
    fields: [{ fieldname: 'idx', fieldtype: 'Int', label: 'Index' }],
    problem: /Field idx: fieldname .*idx.* is restricted/,
    effect: 'the field is left out',
  },
  {
    title: 'a field with the name of a column of the system',
    fields: [data('_user_tags')],
    problem: /Field _user_tags: fieldname .*/,
    effect: 'the field is left out',
  },
  {
    title: 'one fieldname twice',
    fields: [
      { fieldname: 'twice', fieldtype: 'Section Break' },
      { fieldname: 'twice', fieldtype: 'Int' },
      data('twice'),
    ],
    problem: /fieldname twice appears more than once/,
    effect: 'the first field with a value counts',
    stores: { twice: 3 },
  },
  {
    title: 'a length over 1,000',
    fields: [data('long', { length: 5_000 })],
    problem: /Field long: length must be a whole number from 0 to 1000/,
    effect: '1000 applies',
    stores: { long: 'x'.repeat(1_000) },
  },
  {
    title: 'a unique Int',
    fields: [{ fieldname: 'number', fieldtype: 'Int', unique: 1 }],
    problem: /Field number: a Int cannot be unique/,
    effect: 'unique is ignored',
    stores: { number: 7 },
  },
  {
    title: 'a default that is no value of the field',
    fields: [{ fieldname: 'when', fieldtype: 'Date', default: 'Tomorrow' }],
    problem: /Field when: default: .*/,
    effect: 'it has no default',
  },
  {
    title: 'a mandatory layout field',
    fields: [{ fieldname: 'a_section', fieldtype: 'Section Break', reqd: 1 }],
    problem: /Field a_section: a Section Break cannot be mandatory/,
    effect: 'reqd is ignored',
  },
  {
    title: 'a missing title_field, sort_field and search field',
    properties: { title_field: 'nowhere', sort_field: 'nowhere', search_fields: 'title, nowhere' },
    problem: /title_field nowhere is not a field of the doctype/,
    effect: 'it is ignored',
  },
  {
    title: 'a right without the right it builds on',
    permissions: [{ role: 'Odd Reader', read: 1, import: 1 }],
    problem: /Permission of Odd Reader: import needs create/,
    effect: 'import is not granted',
  },
];

/** The child table that some of them link to. */
export const ODD_ROW: Definition = {
  doctype: 'DocType',
  name: 'Odd Row',
  module: 'Odd',
  istable: 1,
  is_submittable: 1,
  permissions: [{ role: 'System Manager', read: 1 }],
  fields: [data('item')],
};

/** A doctype with all of these oddities. */
export function oddDefinition(name: string, oddities: readonly Oddity[]): Definition {
  return {
    doctype: 'DocType',
    name,
    module: 'Odd',
    autoname: 'hash',
    ...Object.assign({}, ...oddities.map(({ properties }) => properties)),
    fields: [data('title'), ...oddities.flatMap(({ fields }) => fields ?? [])],
    permissions: [
      { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
      ...oddities.flatMap(({ permissions }) => permissions ?? []),
    ],
  };
}

/**
 * Few combinations in which each two of them meet in every way: of two, their numbers differ in some digit, so
 * that there is a combination with the first alone, and one with the second alone.
 */
export function oddCombinations(): { readonly name: string; readonly oddities: readonly Oddity[] }[] {
  const digits = Array.from({ length: Math.ceil(Math.log2(ODDITIES.length)) }, (_, digit) => digit);
  return digits.flatMap((digit) =>
    [0, 1].map((value) => ({
      name: `Odd Where ${digit} Is ${value}`,
      oddities: ODDITIES.filter((_, at) => ((at >> digit) & 1) === value),
    })),
  );
}
