import type { TestSite } from './site.ts';

/** Doctypes whose documents have everything that history looks at: rows, levels, secrets, owners. */
const DOCTYPES = [
  {
    name: 'Deal Line',
    istable: 1,
    fields: [
      { fieldname: 'item', label: 'Item', fieldtype: 'Data', reqd: 1 },
      { fieldname: 'qty', label: 'Quantity', fieldtype: 'Int' },
      { fieldname: 'cost', label: 'Cost', fieldtype: 'Int', permlevel: 1 },
    ],
  },
  {
    name: 'Deal',
    autoname: 'Prompt',
    is_submittable: 1,
    allow_rename: 1,
    track_changes: 1,
    fields: [
      { fieldname: 'title', label: 'Title', fieldtype: 'Data', default: 'Untitled' },
      { fieldname: 'amount', label: 'Amount', fieldtype: 'Int' },
      { fieldname: 'sealed', label: 'Sealed', fieldtype: 'Data', read_only: 1, enforce_on_server: 1 },
      { fieldname: 'margin', label: 'Margin', fieldtype: 'Int', permlevel: 1 },
      { fieldname: 'note', label: 'Note', fieldtype: 'Text', allow_on_submit: 1 },
      { fieldname: 'token', label: 'Token', fieldtype: 'Password' },
      { fieldname: 'lines', label: 'Lines', fieldtype: 'Table', options: 'Deal Line' },
    ],
    permissions: [
      { role: 'Dealer', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1 },
      { role: 'Viewer', read: 1 },
      { role: 'Owner Only', read: 1, write: 1, create: 1, delete: 1, if_owner: 1 },
      { role: 'Accountant', read: 1 },
      { role: 'Accountant', read: 1, write: 1, permlevel: 1 },
    ],
  },
  {
    name: 'Plain',
    autoname: 'hash',
    fields: [{ fieldname: 'title', label: 'Title', fieldtype: 'Data' }],
    permissions: [{ role: 'Dealer', read: 1, write: 1, create: 1, delete: 1 }],
  },
];

/** Makes the roles and doctypes of the history tests. */
export async function makeHistoryDoctypes(site: TestSite): Promise<void> {
  for (const role_name of ['Dealer', 'Viewer', 'Owner Only', 'Accountant'])
    await site.make('Role', { role_name });
  for (const doctype of DOCTYPES) await site.make('DocType', doctype);
}
