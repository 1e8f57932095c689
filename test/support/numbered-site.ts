import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { TestSite } from './site.ts';

const ALL = {
  role: 'System Manager',
  read: 1,
  write: 1,
  create: 1,
  delete: 1,
  share: 1,
};
/** All rights for System Managers; agents read and write. */
export const permissions = [ALL, { role: 'Agent', read: 1, write: 1 }];
const link = (fieldname: string, options: string) => ({ fieldname, fieldtype: 'Link', options });
export const TITLE = { fieldname: 'title', fieldtype: 'Data' };

const DOCTYPES = [
  {
    name: 'Part',
    istable: 1,
    fields: [{ fieldname: 'scan', fieldtype: 'Attach' }, TITLE],
  },
  {
    name: 'Ticket',
    autoname: 'autoincrement',
    allow_rename: 1,
    track_changes: 1,
    permissions,
    fields: [TITLE, { fieldname: 'parts', fieldtype: 'Table', options: 'Part' }],
  },
  {
    name: 'Branch',
    autoname: 'autoincrement',
    is_tree: 1,
    nsm_parent_field: 'above',
    permissions,
    fields: [TITLE, link('above', 'Branch')],
  },
  {
    name: 'Claim',
    autoname: 'autoincrement',
    is_submittable: 1,
    permissions: [{ ...ALL, submit: 1, cancel: 1, amend: 1 }],
    fields: [link('amended_from', 'Claim')],
  },
  {
    name: 'Visit',
    autoname: 'Prompt',
    permissions,
    fields: [
      link('ticket', 'Ticket'),
      link('branch', 'Branch'),
      { fieldname: 'of_ticket', fieldtype: 'Data', fetch_from: 'ticket.title' },
      link('about_type', 'DocType'),
      { fieldname: 'about', fieldtype: 'Dynamic Link', options: 'about_type' },
    ],
  },
];
/** Doctypes whose names are numbers, and others that refer to them. */
export const NUMBERED_SITE = { doctypes: DOCTYPES, users: { agent: ['Agent'], other: ['Agent'] } };

/** The path of a list. */
export const list = (doctype: string, more: Readonly<Record<string, unknown>>) =>
  `/api/resource/${doctype}?${Object.entries(more)
    .map(
      ([key, value]) =>
        `${key}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .join('&')}`;

/** The whole numbers from 1. */
export const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Makes twelve tickets. Its function lists names. */
export function withTickets(site: TestSite) {
  before(async () => {
    await site.make('Custom Field', { dt: 'Part', ...link('of', 'Ticket') });
    for (const number of upTo(12)) {
      const made = await site.make('Ticket', { title: `T${number}`, parts: [{ title: `P${number}` }] });
      assert.equal(made.name, number);
      assert.equal(made.parts[0].parent, String(number));
    }
  });
  return async (
    doctype: string,
    more: Readonly<Record<string, unknown>>,
    as?: string,
  ): Promise<unknown[]> => {
    const path = list(doctype, { limit_page_length: 100, order_by: 'name asc', ...more });
    return (await site.ok('GET', path, { as })).map((row: { name: unknown }) => row.name);
  };
}
