import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { defineDocumentMethod, defineMethod } from '../../src/document/verbs/method.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { defineApp } from '../../src/site/app.ts';

/** Hooks that read what clients sent, methods of documents, and methods with arguments. */
export const fuzzApp = defineApp({
  name: 'fuzz',
  controllers: {
    Order: {
      validate(doc) {
        const items = Array.isArray(doc['items']) ? doc['items'] : [];
        doc['total'] = items.reduce((sum, row) => sum + Number(row['qty']), 0);
        if (doc['title'] === 'refuse') throw new ServiceError('ValidationError', 'Refused by a hook');
      },
      onSubmit: async (doc, ctx) => {
        await updateDocument(ctx, 'Order', doc.name, { remark: 'submitted' });
      },
      documentMethods: {
        total: defineDocumentMethod({ http: ['GET', 'POST'], run: (doc) => doc['total'] }),
        echo: defineDocumentMethod({ http: ['GET', 'POST'], args: 'any', run: (_doc, _ctx, args) => args }),
        whole: defineDocumentMethod({ run: (doc) => doc }),
      },
      virtualFields: { shown: (doc) => `${doc.name}!` },
    },
  },
  methods: {
    'fuzz.echo': defineMethod({
      http: ['GET', 'POST', 'PUT', 'DELETE'],
      allowGuest: true,
      args: 'any',
      run: (_ctx, args) => Promise.resolve(args),
    }),
    'fuzz.nothing': defineMethod({ http: ['GET'], run: () => undefined }),
    'fuzz.write': defineMethod({
      args: {
        title: { type: 'Text' },
        pages: { type: 'Int', min: 1 },
        when: { type: 'Datetime', list: true },
      },
      run: (ctx, { title }) => updateDocument(ctx, 'Leaf', 'A', { title: title ?? '' }),
    }),
  },
});

const ALL_RIGHTS = { read: 1, write: 1, create: 1, delete: 1 };
const permissions = [
  { role: 'System Manager', ...ALL_RIGHTS },
  { role: 'Staff', ...ALL_RIGHTS },
];

const OPTIONS: Readonly<Record<string, string>> = {
  Link: 'Leaf',
  'Dynamic Link': 'kind',
  Table: 'Row',
  'Table MultiSelect': 'Pick',
  Select: '\nOpen\nClosed\na < b',
  Image: 'attach_image',
};

/** One doctype of each sort, and one with every fieldtype. */
export const DEFINITIONS: readonly Readonly<Record<string, unknown>>[] = [
  {
    name: 'Leaf',
    autoname: 'Prompt',
    allow_rename: 1,
    track_changes: 1,
    title_field: 'title',
    search_fields: 'title, code',
    permissions: [...permissions, { role: 'All', read: 1 }],
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'code', fieldtype: 'Data', unique: 1 },
      { fieldname: 'data', fieldtype: 'Small Text' },
      { fieldname: 'enabled', fieldtype: 'Check', default: '1' },
      { fieldname: 'up', fieldtype: 'Link', options: 'Leaf' },
    ],
  },
  {
    name: 'Row',
    istable: 1,
    fields: [
      { fieldname: 'item', fieldtype: 'Link', options: 'Leaf' },
      { fieldname: 'qty', fieldtype: 'Int', non_negative: 1 },
      { fieldname: 'price', fieldtype: 'Currency', precision: 2 },
      { fieldname: 'on', fieldtype: 'Date' },
      { fieldname: 'note', fieldtype: 'Text Editor' },
      { fieldname: 'cost', fieldtype: 'Float', permlevel: 1 },
    ],
  },
  { name: 'Pick', istable: 1, fields: [{ fieldname: 'leaf', fieldtype: 'Link', options: 'Leaf', reqd: 1 }] },
  {
    name: 'Everything',
    autoname: 'hash',
    track_changes: 1,
    permissions,
    fields: [
      { fieldname: 'kind', fieldtype: 'Data', default: 'Leaf' },
      ...[...FIELDTYPES.keys()].map((fieldtype) => ({
        fieldname: fieldtype.toLowerCase().replaceAll(' ', '_'),
        fieldtype,
        ...(OPTIONS[fieldtype] === undefined ? {} : { options: OPTIONS[fieldtype] }),
      })),
      { fieldname: 'last', fieldtype: 'Section Break' },
    ],
  },
  {
    name: 'Order',
    autoname: 'ORD-.####',
    is_submittable: 1,
    track_changes: 1,
    max_attachments: 3,
    permissions: permissions.map((row) => ({ ...row, submit: 1, cancel: 1, amend: 1 })),
    fields: [
      { fieldname: 'title', fieldtype: 'Data', reqd: 1 },
      { fieldname: 'leaf', fieldtype: 'Link', options: 'Leaf' },
      { fieldname: 'leaf_title', fieldtype: 'Data', fetch_from: 'leaf.title' },
      { fieldname: 'status', fieldtype: 'Select', options: 'Open\nClosed', default: 'Open' },
      {
        fieldname: 'why',
        fieldtype: 'Data',
        mandatory_depends_on: 'eval:doc.status == "Closed"',
        enforce_on_server: 1,
      },
      { fieldname: 'remark', fieldtype: 'Small Text', allow_on_submit: 1 },
      { fieldname: 'total', fieldtype: 'Float' },
      { fieldname: 'once', fieldtype: 'Data', set_only_once: 1 },
      { fieldname: 'shown', fieldtype: 'Data', is_virtual: 1 },
      { fieldname: 'items', fieldtype: 'Table', options: 'Row' },
      { fieldname: 'amended_from', fieldtype: 'Link', options: 'Order', read_only: 1 },
    ],
  },
  {
    name: 'Grove',
    is_tree: 1,
    autoname: 'field:title',
    allow_rename: 1,
    permissions,
    fields: [{ fieldname: 'title', fieldtype: 'Data', reqd: 1 }],
  },
  {
    name: 'Config',
    issingle: 1,
    permissions,
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'size', fieldtype: 'Int' },
      { fieldname: 'secret', fieldtype: 'Password' },
      { fieldname: 'rows', fieldtype: 'Table', options: 'Row' },
    ],
  },
  {
    name: 'Guarded',
    autoname: 'format:{title}-{##}',
    permissions: [
      { role: 'System Manager', ...ALL_RIGHTS },
      { role: 'Staff', ...ALL_RIGHTS, if_owner: 1 },
    ],
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'wage', fieldtype: 'Float', permlevel: 1 },
      { fieldname: 'leaf', fieldtype: 'Link', options: 'Leaf' },
    ],
  },
];
