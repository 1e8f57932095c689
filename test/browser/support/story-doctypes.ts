import { FIELDTYPES } from '../../../src/doctype/fieldtypes/fieldtypes.ts';

type Definition = Readonly<Record<string, unknown>>;

const ALL = { read: 1, write: 1, create: 1, delete: 1, report: 1, export: 1, share: 1 };
const permissions = [
  { role: 'System Manager', ...ALL },
  { role: 'Clerk', read: 1, write: 1, create: 1 },
  { role: 'Reader', read: 1 },
];

/** Roles that the users of the stories have, besides System Manager. */
export const STORY_ROLES = ['Clerk', 'Reader'];

const OPTIONS: Readonly<Record<string, string>> = {
  Link: 'Buyer',
  'Dynamic Link': 'kind',
  Table: 'Bill Item',
  'Table MultiSelect': 'Buyer Pick',
  Select: '\nOpen\nClosed\na < b',
  Image: 'attach_image',
  HTML: '<p>A word of <b>help</b></p>',
  Code: 'JSON',
};

/** Doctypes to tell stories with, in the order in which they are made. */
export const STORY_DOCTYPES: readonly Definition[] = [
  {
    name: 'Buyer',
    autoname: 'field:buyer_name',
    allow_rename: 1,
    track_changes: 1,
    title_field: 'company',
    search_fields: 'company, city',
    permissions,
    fields: [
      { fieldname: 'buyer_name', label: 'Buyer Name', fieldtype: 'Data', reqd: 1, unique: 1 },
      { fieldname: 'company', label: 'Company', fieldtype: 'Data', in_list_view: 1 },
      { fieldname: 'city', label: 'City', fieldtype: 'Data', in_list_view: 1 },
      { fieldname: 'email', label: 'Email', fieldtype: 'Data', options: 'Email' },
    ],
  },
  {
    name: 'Bill Item',
    istable: 1,
    fields: [
      { fieldname: 'item', label: 'Item', fieldtype: 'Data', reqd: 1, in_list_view: 1 },
      { fieldname: 'buyer', label: 'Paid By', fieldtype: 'Link', options: 'Buyer', in_list_view: 1 },
      {
        fieldname: 'qty',
        label: 'Quantity',
        fieldtype: 'Float',
        default: '1',
        non_negative: 1,
        in_list_view: 1,
      },
      { fieldname: 'rate', label: 'Rate', fieldtype: 'Currency', in_list_view: 1 },
      { fieldname: 'amount', label: 'Amount', fieldtype: 'Currency', read_only: 1, in_list_view: 1 },
      { fieldname: 'delivery', label: 'Delivery', fieldtype: 'Date' },
      { fieldname: 'done', label: 'Done', fieldtype: 'Check' },
      { fieldname: 'remark', label: 'Remark', fieldtype: 'Small Text' },
    ],
  },
  {
    name: 'Buyer Pick',
    istable: 1,
    fields: [
      { fieldname: 'buyer', label: 'Buyer', fieldtype: 'Link', options: 'Buyer', reqd: 1, in_list_view: 1 },
    ],
  },
  {
    name: 'Bill',
    autoname: 'BILL-.#####',
    is_submittable: 1,
    track_changes: 1,
    title_field: 'title',
    search_fields: 'title, buyer',
    permissions: permissions.map((row) =>
      row.role === 'Reader' ? row : { ...row, submit: 1, cancel: 1, amend: 1 },
    ),
    fields: [
      { fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1, in_list_view: 1 },
      { fieldname: 'buyer', label: 'Buyer', fieldtype: 'Link', options: 'Buyer', reqd: 1, in_list_view: 1 },
      {
        fieldname: 'buyer_city',
        label: 'City',
        fieldtype: 'Data',
        fetch_from: 'buyer.city',
        read_only: 1,
      },
      { fieldname: 'column', fieldtype: 'Column Break' },
      {
        fieldname: 'posting_date',
        label: 'Posting Date',
        fieldtype: 'Date',
        default: 'Today',
        in_list_view: 1,
      },
      {
        fieldname: 'status',
        label: 'Status',
        fieldtype: 'Select',
        options: 'Open\nPaid\nDisputed',
        default: 'Open',
        in_list_view: 1,
        allow_on_submit: 1,
      },
      {
        fieldname: 'dispute',
        label: 'What is disputed',
        fieldtype: 'Small Text',
        depends_on: 'eval:doc.status == "Disputed"',
        mandatory_depends_on: 'eval:doc.status == "Disputed"',
        allow_on_submit: 1,
      },
      { fieldname: 'items_section', label: 'Items', fieldtype: 'Section Break' },
      { fieldname: 'items', label: 'Items', fieldtype: 'Table', options: 'Bill Item', reqd: 1 },
      { fieldname: 'total', label: 'Total', fieldtype: 'Currency', read_only: 1, in_list_view: 1 },
      { fieldname: 'terms_tab', label: 'Terms', fieldtype: 'Tab Break' },
      { fieldname: 'due_days', label: 'Due Days', fieldtype: 'Int', default: '30', non_negative: 1 },
      { fieldname: 'terms', label: 'Terms', fieldtype: 'Text Editor' },
      { fieldname: 'amended_from', label: 'Amended From', fieldtype: 'Link', options: 'Bill', read_only: 1 },
    ],
  },
  {
    name: 'Everything',
    autoname: 'Prompt',
    track_changes: 1,
    title_field: 'data',
    permissions,
    fields: [
      { fieldname: 'kind', label: 'Kind', fieldtype: 'Link', options: 'DocType', default: 'Buyer' },
      ...[...FIELDTYPES.keys()].map((fieldtype) => ({
        fieldname: fieldtype.toLowerCase().replaceAll(' ', '_'),
        label: fieldtype,
        fieldtype,
        ...(OPTIONS[fieldtype] === undefined ? {} : { options: OPTIONS[fieldtype] }),
      })),
      { fieldname: 'last', label: 'Last', fieldtype: 'Section Break' },
    ],
  },
  {
    name: 'Region',
    is_tree: 1,
    autoname: 'field:title',
    allow_rename: 1,
    permissions,
    fields: [{ fieldname: 'title', label: 'Title', fieldtype: 'Data', reqd: 1, in_list_view: 1 }],
  },
  {
    name: 'Shop Settings',
    issingle: 1,
    permissions,
    fields: [
      { fieldname: 'motto', label: 'Motto', fieldtype: 'Data', default: 'Always open' },
      { fieldname: 'open_on_sunday', label: 'Open on Sunday', fieldtype: 'Check' },
    ],
  },
  {
    name: 'Wide',
    autoname: 'hash',
    permissions,
    fields: Array.from({ length: 60 }, (_, index) => ({
      fieldname: `field_${index + 1}`,
      label: `Field ${index + 1}`,
      fieldtype: ['Data', 'Int', 'Date', 'Check'][index % 4],
      in_list_view: index < 8 ? 1 : 0,
    })),
  },
];

/** Texts that run as scripts wherever one of them is not shown as text. Each says its name in `window.ran`. */
export const HOSTILE: readonly string[] = [
  `<img src=x onerror="window.ran='img'">`,
  `"><script>window.ran='script'</script>`,
  `'><svg/onload=window.ran='svg'>`,
  `javascript:window.ran='url'`,
  `{{constructor.constructor("window.ran='template'")()}}`,
  `</textarea></title><iframe srcdoc="<script>parent.ran='frame'</script>">`,
];
